#!/usr/bin/env python3
"""A hundred pages play Connect Four at 50 ms a move: load.py ADDRESS [PAGES] [SECONDS]

Every page has its stream of events and asks for its next move when the last one came. Meanwhile pages are asked for, one after
the other, and timed. Only the standard library is used; `wrk` measures plain requests beside it (docs/performance.md).
"""

import asyncio
import json
import sys
import time


async def request(host, port, method, path, body=""):
    reader, writer = await asyncio.open_connection(host, port)
    head = f"{method} {path} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write((head + body).encode())
    answer = await reader.read()
    writer.close()
    status = int(answer.split(b" ", 2)[1])
    return status, answer.split(b"\r\n\r\n", 1)[1]


class Page:
    def __init__(self, host, port):
        self.at, self.moves, self.job = (host, port), [], 0
        self.played, self.games, self.refused, self.waits = 0, 0, 0, []
        self.session, self.waiting = "", None

    async def listen(self):
        while True:
            try:
                await self.stream()
            except (ConnectionError, asyncio.IncompleteReadError, IndexError):
                await asyncio.sleep(0.2)

    async def stream(self):
        reader, writer = await asyncio.open_connection(*self.at)
        query = f"?session={self.session}" if self.session else ""
        writer.write(f"GET /api/events{query} HTTP/1.1\r\nHost: {self.at[0]}:{self.at[1]}\r\n\r\n".encode())
        event = ""
        try:
            while line := (await reader.readline()).decode().strip("\r\n") or not reader.at_eof():
                if line is True:
                    continue
                if line.startswith("event:"):
                    event = line[6:].strip()
                    if event == "again":
                        return
                elif line.startswith("data:"):
                    self.hear(event, line[5:].strip())
        finally:
            writer.close()

    def hear(self, event, data):
        if event == "session":
            self.session = data
        elif event == "job":
            told = json.loads(data)
            if self.waiting and told["job"] == self.job and not told["state"]["running"] and not self.waiting.done():
                self.waiting.set_result(told["state"])

    async def play(self, until):
        while not self.session:
            await asyncio.sleep(0.05)
        while time.time() < until:
            self.job += 1
            self.waiting = asyncio.get_running_loop().create_future()
            ask = {"session": self.session, "job": self.job, "kind": "move", "game": "connect-four:7x6", "moves": self.moves, "time": "50ms"}
            began = time.time()
            status, _ = await request(*self.at, "POST", "/api/begin", json.dumps(ask))
            if status != 200:
                self.refused += 1
                self.moves = []
                await asyncio.sleep(0.2)
                continue
            state = await asyncio.wait_for(self.waiting, 120)
            self.waits.append(time.time() - began)
            self.moves.append(state["move"])
            self.played += 1
            status, body = await request(*self.at, "POST", "/api/position", json.dumps({"game": "connect-four:7x6", "moves": self.moves}))
            if json.loads(body).get("ended"):
                self.moves, self.games = [], self.games + 1


def quantile(values, share):
    values = sorted(values) or [0]
    return values[min(len(values) - 1, int(share * len(values)))]


async def main():
    host, port = sys.argv[1].split(":")
    pages = [Page(host, int(port)) for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 100)]
    until = time.time() + float(sys.argv[3] if len(sys.argv) > 3 else 30)
    listeners = [asyncio.create_task(page.listen()) for page in pages]
    took = []

    async def look():
        while time.time() < until:
            began = time.time()
            status, _ = await request(host, int(port), "GET", "/")
            assert status == 200
            took.append(time.time() - began)
            await asyncio.sleep(0.02)

    await asyncio.gather(look(), *(page.play(until) for page in pages))
    for listener in listeners:
        listener.cancel()
    waits = [wait for page in pages for wait in page.waits]
    print(f"{len(pages)} pages, {sum(p.played for p in pages)} moves, {sum(p.games for p in pages)} games, {sum(p.refused for p in pages)} refused")
    print(f"page requests: {len(took)}, median {1000 * quantile(took, .5):.1f} ms, p99 {1000 * quantile(took, .99):.1f} ms, worst {1000 * max(took):.1f} ms")
    print(f"moves: median {1000 * quantile(waits, .5):.0f} ms, p99 {1000 * quantile(waits, .99):.0f} ms")


asyncio.run(main())
