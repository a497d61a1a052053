#!/usr/bin/env python3
"""Pictures of the page, by Debian's chromium and chromedriver: screenshots.py PROGRAM FOLDER [NAME…]

README.md shows docs/images/page.png: screenshots.py target/release/perfectplay docs/images page
Only the standard library is used.
"""

import base64
import json
import pathlib
import socket
import subprocess
import sys
import time
import urllib.request

WIDE, PHONE = (1180, 860), (390, 844)
DONE = "return document.getElementById('main').dataset.state"
SHOTS = {
    "page": ("#/analyse?game=connect-four:7x6&moves=4+4+4+4+4+2+4+3+3+2+2+1+1&for=score&time=5s", (1180, 760), "light", "done", ""),
    "play": ("#/play?game=chess&moves=e2e4+e7e5+g1f3&seats=p|p", WIDE, "", "yours", "document.querySelector('.cell[data-at=\"6,3\"]')"),
    "analyse": ("#/analyse?game=connect-four:7x6&moves=4+4+4+4+4+2+4+3+3+2+2+1+1&for=score&with=|ubfm&time=3s", WIDE, "", "done", ""),
    "watch": ("#/watch?game=tic-tac-toe&with=ubfm|ubfm:completion=off&nodes=600", (1180, 1050), "", "done", ""),
    "watch-pns": ("#/watch?game=tic-tac-toe&with=mopns&nodes=300", (1180, 1050), "", "done", ""),
    "watch-cuts": ("#/watch?game=script:[[3,12,8],[2,4,6],[14,5,2]]&with=minimax|plain-alpha-beta&nodes=600&for=score", (1180, 1050), "", "done", ""),
    "prove": ("#/prove?game=hex:3", WIDE, "", "proved", "document.getElementById('solve').click()"),
    "compare": ("#/compare?game=connect-four:4x4&players=alpha-beta@nodes=500|mcts@nodes=500|random&rounds=6", (1180, 1000), "", "done", "document.getElementById('begin').click()"),
    "train": ("#/train?game=connect-four:5x4&time=8s", (1180, 1000), "", "done", "document.getElementById('begin').click()"),
    "games": ("#/games", WIDE, "", None, ""),
    "game": ("#/games/xiangqi", (1180, 1100), "", None, ""),
    "phone-play": ("#/play?game=chinese-checkers:3,players=3&seats=p|p|p", PHONE, "", "yours", ""),
    "phone-analyse": ("#/analyse?game=othello:4&time=2s", PHONE, "", "done", ""),
    "phone-prove": ("#/prove?game=hex:3", PHONE, "", "proved", "document.getElementById('solve').click()"),
    "phone-compare": ("#/compare?game=connect-four:4x4&players=alpha-beta@nodes=500|mcts@nodes=500|random&rounds=3", PHONE, "", "done", "document.getElementById('begin').click()"),
    "phone-train": ("#/train?game=tic-tac-toe&time=4s", PHONE, "", "done", "document.getElementById('begin').click()"),
    "phone-games": ("#/games", PHONE, "", None, ""),
    "phone-game": ("#/games/hex", PHONE, "", None, ""),
    "phone-watch": ("#/watch?game=tic-tac-toe&nodes=300", PHONE, "", "done", ""),
}


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Browser:
    def __init__(self, port, dark):
        self.base = f"http://127.0.0.1:{port}/session"
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--blink-settings=preferredColorScheme={0 if dark else 1}"]
        told = self.ask("POST", "", {"capabilities": {"alwaysMatch": {"goog:chromeOptions": {"args": arguments}}}})
        self.base += "/" + told["sessionId"]

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data=data, method=method)
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)["value"]

    def run(self, script):
        return self.ask("POST", "/execute/sync", {"script": script, "args": []})

    def size(self, width, height):
        self.ask("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}})

    def shot(self, file):
        file.write_bytes(base64.b64decode(self.ask("GET", "/screenshot")))


def take(browser, server, name, file):
    address, (width, height), _, state, action = SHOTS[name]
    browser.size(width, height)
    browser.ask("POST", "/url", {"url": "about:blank"})
    browser.ask("POST", "/url", {"url": f"http://127.0.0.1:{server}/{address}"})
    wait(lambda: browser.run("return Boolean(document.getElementById('main').dataset.page)"))
    if action:
        browser.run(action)
    if state:
        wait(lambda: browser.run(DONE) == state)
    time.sleep(1)
    browser.shot(file)


def wait(true, seconds=90):
    until = time.time() + seconds
    while time.time() < until:
        if true():
            return
        time.sleep(0.1)


def main():
    program, folder, names = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:] or list(SHOTS)
    folder.mkdir(parents=True, exist_ok=True)
    server, driver = free_port(), free_port()
    running = [
        subprocess.Popen([program, "serve", "--listen", f"127.0.0.1:{server}"], stdout=subprocess.DEVNULL),
        subprocess.Popen(["chromedriver", f"--port={driver}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL),
    ]
    try:
        for port in (server, driver):
            until = time.time() + 30
            while time.time() < until and socket.socket().connect_ex(("127.0.0.1", port)):
                time.sleep(0.1)
        for look in ("light", "dark"):
            browser = Browser(driver, look == "dark")
            for name in names:
                if SHOTS[name][2] in ("", look):
                    take(browser, server, name, folder / (f"{name}.png" if SHOTS[name][2] else f"{name}-{look}.png"))
            browser.ask("DELETE", "")
    finally:
        for process in running:
            process.terminate()


main()
