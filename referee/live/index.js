"use strict";
// Shows what the server sends for this page, and says in words when the run or the server has ended.
const main = document.getElementById("main");
const state = document.getElementById("state");
const source = new EventSource("events");
const show = () => { state.textContent = main.querySelector("[data-final]") ? "finished" : "live"; };
source.addEventListener("index", (event) => { main.innerHTML = event.data; show(); });
source.addEventListener("game", (event) => { if (event.data) location.assign("games/" + encodeURIComponent(event.data)); });
source.addEventListener("end", (event) => { source.close(); state.textContent = event.data; });
source.onerror = () => { state.textContent = "The server has gone: the run has ended or was interrupted."; };
source.onopen = show;
