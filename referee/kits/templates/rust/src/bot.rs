pub const NAME: &str = "bot";
pub const EVENTS: bool = true;
pub struct Bot {}
use crate::messages::*;
impl Bot {
    pub fn new(_seed: i64) -> Bot { Bot{} }
    pub fn year_of_the_dragon(&mut self, _game: &DragonStart, act: &DragonAct) -> usize { act.legal.len() - 1 }
    pub fn forbidden_city(&mut self, _game: &CityStart, act: &CityAct) -> usize { act.legal.len() - 1 }
}
