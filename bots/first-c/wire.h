/* Speaks the protocol: reads the referee's messages, asks the bot, and writes its answers. Nothing to edit here. */
#ifndef WIRE_H
#define WIRE_H

#include "messages.h"

/* Answers each line of the input, until one says quit or there are no more. Returns false, and says why on standard
 * error, if it can't go on. */
bool talk(FILE *input, FILE *output);

/* What bot.c defines. */
extern const char bot_name[];
size_t choose_dragon(const struct dragon_start *start, const struct dragon_act *act);
size_t choose_city(const struct city_start *start, const struct city_act *act);

#endif
