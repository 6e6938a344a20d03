"""What programs that drive a browser need: a Chromium of this machine, Playwright for the target, other limits."""
