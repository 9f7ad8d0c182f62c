"""Untrusted processes: starting, confining, watching and ending them."""
