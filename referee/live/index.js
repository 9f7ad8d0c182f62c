"use strict";
// Shows what the server sends for this page, and says in words when the run or the server has ended.
const main = document.getElementById("main");
const state = document.getElementById("state");
const source = new EventSource("events");
const show = (text) => {
  state.textContent = text ?? (main.querySelector("[data-final]") ? "finished" : "live");
  state.classList.toggle("on", state.textContent === "live");
};
source.addEventListener("index", (event) => {
  const sent = document.createElement("main");
  sent.id = "main";
  sent.innerHTML = event.data;
  morph(main, sent);
  show();
});
source.addEventListener("game", (event) => { if (event.data) location.assign("games/" + encodeURIComponent(event.data)); });
source.addEventListener("end", (event) => { source.close(); show(event.data); });
source.onerror = () => show("The server has gone: the run has ended or was interrupted.");
source.onopen = () => show();
