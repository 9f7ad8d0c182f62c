// What a report does beyond showing itself: filters of games, in one file the pages of its games, and news.
(() => {
  "use strict";
  const $ = (id) => document.getElementById(id);

  const element = (tag, text) => {
    const found = document.createElement(tag);
    if (text) found.textContent = text;
    return found;
  };

  const filter = (section, names) => {
    const form = element("form");
    form.className = "filter";
    form.dataset.own = "";
    const ofBot = element("label", "bot ");
    const bot = element("select");
    bot.append(new Option("all bots", ""), ...names.map((name, index) => new Option(name, index)));
    ofBot.append(bot);
    const faults = element("input");
    faults.type = "checkbox";
    const onlyFaults = element("label");
    onlyFaults.append(faults, " only with faults");
    const count = element("span");
    count.setAttribute("role", "status");
    form.append(ofBot, onlyFaults, count);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("change", () => {
      let shown = 0;
      const active = bot.value !== "" || faults.checked;
      for (const part of section.querySelectorAll("section")) {
        let own = 0;
        for (const row of part.querySelectorAll("tbody tr")) {
          const fits = (bot.value === "" || row.dataset.bots.includes(` ${bot.value} `)) && (!faults.checked || "fault" in row.dataset);
          row.hidden = !fits;
          own += fits ? 1 : 0;
        }
        part.hidden = active && !own;
        const details = part.querySelector("details");
        if (details) details.open = active && own > 0;
        shown += own;
      }
      count.textContent = active ? `${shown} ${shown === 1 ? "game" : "games"}` : "";
    });
    section.querySelector("h2").after(form);
  };

  const bots = $("bots");
  if (bots) for (const section of document.querySelectorAll("[data-filtered]")) filter(section, JSON.parse(bots.textContent));

  // A link to a place that is behind a click opens it.
  const open = () => {
    const found = location.hash && $(decodeURIComponent(location.hash.slice(1)));
    if (!found) return;
    const details = found.closest("details") ?? found.querySelector(":scope > details");
    if (details) details.open = true;
  };
  addEventListener("hashchange", open);
  open();

  // In one file a game is text until somebody opens it.
  const pages = new Map();
  const page = (id) => {
    if (!pages.has(id)) {
      const data = $(`replay-${id}`);
      const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title></title><style>${$("replay-style").textContent}</style></head><body><div id="page" class="scene"></div><script type="text/plain" id="document">${data.textContent}<\/script><script type="module">${$("replay-script").textContent}<\/script></body></html>`;
      const titled = html.replace("<title></title>", () => `<title>${element("i", data.dataset.title).innerHTML}</title>`);
      pages.set(id, URL.createObjectURL(new Blob([titled], { type: "text/html" })));
    }
    return pages.get(id);
  };
  // While the event goes on, the page becomes what its server has by now, and the reader stays where the reader is.
  const news = element("p");
  const refresh = async () => {
    const time = new Date().toLocaleTimeString();
    try {
      const answer = await fetch(location.pathname + location.search, { cache: "no-cache" });
      if (!answer.ok) throw new Error(answer.statusText);
      const sent = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (!sent.querySelector(".report")) throw new Error("it is another page");
      morph(document.body, sent.body);
      document.title = sent.title;
      for (const form of document.querySelectorAll(".filter")) form.dispatchEvent(new Event("change"));
      news.textContent = `This page refreshes itself, last at ${time}.`;
    } catch {
      news.textContent = `At ${time} this page could not be refreshed; it tries again.`;
    }
    wait();
  };
  const wait = () => {
    const seconds = Number(document.body.dataset.refresh);
    if (!seconds) news.textContent = "The event is over, and this page no longer changes.";
    else setTimeout(() => (document.hidden ? document.addEventListener("visibilitychange", refresh, { once: true }) : refresh()), seconds * 1000);
  };
  if (document.body.dataset.refresh) {
    news.className = "words";
    news.dataset.own = "";
    news.textContent = location.protocol === "file:" ? "This page is a file of this machine: reload it to see what is new." : "This page refreshes itself.";
    document.querySelector(".report header").append(news);
    if (location.protocol !== "file:") wait();
  }

  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element && event.target.closest("a[data-replay]");
    if (!link) return;
    link.href = page(link.dataset.replay) + (link.dataset.step ? `#${link.dataset.step}` : "");
  });
})();
