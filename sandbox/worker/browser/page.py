"""One page of a scenario: plays actions, answers dialogs, waits until the page is settled, and says what is there."""

import time
import urllib.parse

from .controls import READ

# How long a page may go on changing: so many seconds, and on a busy machine until it was looked at so many times.
SETTLE_SECONDS = 4.0
SETTLE_LOOKS = 8
LONGEST_SETTLE = 20.0
QUIET_SECONDS = 0.08
ACTION_SECONDS = 5.0
OPEN_SECONDS = 30.0
MOST_DIALOGS = 5
MOST_TREE = 60_000


class Broken(Exception):
    """The scenario cannot go on; the message says why."""


class PlayedPage:
    """A page of a fresh browser context, watched while a scenario is played in it.

    Args:
        context: a new one of Playwright's.
        base_url: of the application, without a slash at its end.
        secrets: values by the names of variables, for fields that take a secret.
    """

    def __init__(self, context, base_url, secrets):
        self._base_url = base_url
        self._secrets = secrets
        self._answer = "dismiss"
        self._waiting = set()
        self.wrote = False  # whether anything was sent that may have changed the application
        self._forget()
        context.on("page", self._popup)
        self.page = context.new_page()
        self._opened = True
        self.page.on("dialog", self._dialog)
        self.page.on("download", self._download)
        self.page.on("request", self._request)
        self.page.on("requestfinished", lambda request: self._waiting.discard(request))
        self.page.on("requestfailed", lambda request: self._waiting.discard(request))
        self.page.on("response", self._response)
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self._errors.append(str(error)[:300]))

    def _forget(self):
        """Begin to note what the next action brings."""
        self._dialogs, self._popups, self._downloads, self._errors, self._status = [], 0, [], [], 0
        self._visits = 0

    def _popup(self, page):
        if getattr(self, "_opened", False):
            self._popups += 1
            page.close()

    def _dialog(self, dialog):
        self._dialogs.append({"type": dialog.type, "message": dialog.message[:500]})
        if len(self._dialogs) > MOST_DIALOGS:
            self.page.close(run_before_unload=False)
        elif self._answer == "accept":
            dialog.accept()
        else:
            dialog.dismiss()

    def _request(self, request):
        self._waiting.add(request)
        self.wrote = self.wrote or request.method not in ("GET", "HEAD", "OPTIONS")

    def _download(self, download):
        self._downloads.append(download.suggested_filename[:100])

    def _response(self, response):
        request = response.request
        if request.is_navigation_request() and request.frame == self.page.main_frame:
            self._visits += 1
            if not 300 <= response.status < 400:
                self._status = response.status

    def _console(self, message):
        if message.type == "error":
            self._errors.append(message.text[:300])

    def locator(self, how):
        """The elements that a locator of a spec finds, as Playwright's locator."""
        by, value, exact = how["by"], how["value"], how.get("exact", False)
        page = self.page
        if by == "role":
            found = page.get_by_role(value, **({"name": how["name"], "exact": exact} if "name" in how else {}))
        elif by in ("label", "text", "placeholder", "alt_text", "title"):
            found = getattr(page, "get_by_" + by)(value, exact=exact)
        elif by == "test_id":
            found = page.get_by_test_id(value)
        else:
            found = page.locator("#" + value if by == "id" else value)
        return found.nth(how["nth"]) if "nth" in how else found

    def act(self, action):
        """Play one action, and wait until the page is settled. Raises Broken."""
        self._forget()
        self._answer = action.get("dialog") or "dismiss"
        try:
            self._do(action)
        except Exception as error:
            if len(self._dialogs) > MOST_DIALOGS:
                raise Broken("the page opens one dialog after another") from error
            if self._downloads or "Download is starting" in str(error):
                self._downloads = self._downloads or ["a file"]
                return
            if "locator" in action and type(error).__name__ == "TimeoutError":
                told = "{} could not be used within {:g} s: it is hidden, covered or gone"
                raise Broken(told.format(_called(action["locator"]), ACTION_SECONDS)) from error
            raise Broken(_short(error).replace(self._base_url, "")) from error

    def _do(self, action):
        kind, value = action["kind"], action.get("value", "")
        if "secret" in action:
            value = self._secrets.get(action["secret"], "")
        if kind == "open":
            self.page.goto(self._base_url + action["url"], timeout=1000 * OPEN_SECONDS, wait_until="load")
        elif kind == "go_back":
            self.page.go_back(timeout=1000 * ACTION_SECONDS)
        elif kind == "reload":
            self.page.reload(timeout=1000 * OPEN_SECONDS)
        else:
            target, limit = self.locator(action["locator"]), {"timeout": 1000 * ACTION_SECONDS}
            if kind == "fill":
                target.fill(value, **limit)
            elif kind == "select":
                target.select_option(label=value, **limit)
            elif kind == "press":
                target.press(value, **limit)
            elif kind in ("click", "check", "uncheck", "clear", "hover"):
                getattr(target, kind)(**limit)
            else:
                raise Broken("no such action: " + kind)

    def settle(self):
        """Wait until nothing changes any more; whether that came to be."""
        began, looks = time.monotonic(), 0
        before, quiet_since = None, began
        while time.monotonic() < began + (LONGEST_SETTLE if 0 < looks < SETTLE_LOOKS else SETTLE_SECONDS):
            if len(self._dialogs) > MOST_DIALOGS:
                raise Broken("the page opens one dialog after another")
            if self._visits > 20:
                raise Broken("the page leads to itself again and again")
            looked = time.monotonic()
            now = (self._tree(), self.page.url, len(self._waiting))
            # A page that does not answer at all has a script that never ends, whatever else the machine does.
            looks = SETTLE_LOOKS if time.monotonic() - looked > ACTION_SECONDS else looks + 1
            if now != before or self._waiting:
                before, quiet_since = now, time.monotonic()
            elif time.monotonic() - quiet_since >= QUIET_SECONDS:
                return True
            self.page.wait_for_timeout(30)
        return False

    def _tree(self):
        try:
            return self.page.locator("body").aria_snapshot(timeout=1000 * ACTION_SECONDS)
        except Exception as error:
            if self.page.is_closed():
                raise Broken("the page was closed") from error
            return None  # it is on the way to another page

    def state(self):
        """What a person sees now, and what the last action brought."""
        settled = self.settle()
        address = self.page.url
        inside = address.startswith((self._base_url + "/", self._base_url + "?")) or address == self._base_url
        facts = {
            "url": address[len(self._base_url) :] or "/" if inside else "",
            "elsewhere": "" if inside else address[:200],
            "status": self._status,
            "settled": settled,
            "dialogs": self._dialogs[:MOST_DIALOGS],
            "popups": self._popups,
            "downloads": self._downloads,
            "errors": self._errors[:10],
        }
        if not settled or not inside or self._downloads:  # a page whose script never ends does not answer either
            return {**facts, "title": "", "tree": "", "forms": [], "fields": [], "buttons": [], "links": []}
        try:
            read = self.page.evaluate(READ)
            title = self.page.title()
        except Exception as error:
            raise Broken("the page changes while it is read: " + _short(error)) from error
        for link in read["links"]:
            link["path"] = self._path(link["href"])
        return {**facts, "title": title, "tree": cut(self._tree() or "", MOST_TREE), **read}

    def _path(self, href):
        """The path of an address of this site; empty for one of another."""
        parts = urllib.parse.urlsplit(href)
        if f"{parts.scheme}://{parts.netloc}" != "://".join(urllib.parse.urlsplit(self._base_url)[:2]):
            return ""
        return (parts.path or "/") + ("?" + parts.query if parts.query else "")

    def holds(self, check):
        """Whether an expectation of a spec holds now; its locator must find exactly one element."""
        kind, value = check["kind"], check.get("value")
        if kind == "title":
            return self.page.title() == value
        if kind == "url":
            return self.page.url == self._base_url + str(value)
        if kind == "dialog":
            return [one["message"] for one in self._dialogs] == [value]
        found = self.locator(check["locator"])
        count = found.count()
        if kind in ("hidden", "count"):
            return count == (value if kind == "count" else 0)
        if count != 1:
            return False
        if kind == "text":
            return " ".join(found.inner_text().split()) == value
        if kind == "input_value":
            return found.input_value() == value
        if kind == "focused":
            return found.evaluate("element => document.activeElement === element")
        asked = {"visible": "is_visible", "enabled": "is_enabled", "disabled": "is_disabled", "checked": "is_checked"}
        return kind in asked and getattr(found, asked[kind])()


def cut(text, most):
    """A text of at most so many characters, in whole lines: half of one may end inside of quotes."""
    return text if len(text) <= most else text[: text.rfind("\n", 0, most) + 1]


def _called(how):
    """What a locator finds, in words."""
    return "“{}”".format(how.get("name") or how["value"])


def _short(error):
    """The first line of an error, without the log of calls."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines or [type(error).__name__])[0][:300]
