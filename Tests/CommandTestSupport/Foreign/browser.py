#!/usr/bin/python3
"""Opens the page of a unit in headless Chromium and says on one line of JSON what is seen and heard there.

usage: browser.py URL [--listen SECONDS] [--buffer MS] [--width PX --height PX] [--dark] [--screenshot FILE]
                  [--plain] [--rate HERTZ] [--drag SELECTOR X Y] [--swipe SELECTOR X Y] [--do SCRIPT] [--from FOLDER]

--listen   press the button, wait until it plays, and measure for so long: the frequency by an AnalyserNode, underruns,
           delay, and its median in the first and in the last five seconds. The frequency is that of sound without a
           break: a window with an underrun, a jump or a gap in it has none, and four windows are waited for
--buffer   what the page's control of that name is set to; the page's own choice where it is not given
--plain    a browser without WebCodecs
--rate     the sample rate of the page's AudioContext, whatever that of the sound card
--drag     press the mouse in the middle of what a CSS selector finds, once it can be pressed, and let it go X pixels to
           the right and Y below
--swipe    the same with a finger
--do       JavaScript that is run before the end; its value is "value"
--from     take the page's files from a folder, to work on them
"""
import argparse, asyncio, base64, ctypes, json, os, re, shutil, signal, subprocess, sys, tempfile, urllib.request

import websockets

PR_SET_PDEATHSIG = 1


def end_with_parent():
    """A browser does not outlive this script, even where that is killed."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


LOOK = """(() => {
  const player = globalThis.iounitPlayer, analyser = player.analyser;
  analyser.fftSize = 32768; analyser.smoothingTimeConstant = 0;
  const bins = new Float32Array(analyser.frequencyBinCount);
  analyser.getFloatFrequencyData(bins);
  let top = 1;
  for (let bin = 1; bin < bins.length - 1; bin++) if (bins[bin] > bins[top]) top = bin;
  const [a, b, c] = [bins[top - 1], bins[top], bins[top + 1]];
  const offset = (a - c) / (2 * (a - 2 * b + c));
  const sound = new Float32Array(2048);
  analyser.getFloatTimeDomainData(sound);
  return { hertz: (top + offset) * player.context.sampleRate / analyser.fftSize, decibels: b, state: player.state,
    peak: Math.max(...sound), contextRate: player.context.sampleRate, codec: player.codec, lost: player.lostPackets,
    decoderErrors: player.decoderErrors, ...player.figures };
})()"""


class Browser:
    def __init__(self, width, height, dark, source):
        self.folder = tempfile.mkdtemp(prefix="iounit-browser-")
        self.size, self.dark = (width, height), dark
        self.errors, self.number, self.waiting, self.source = [], 0, {}, source
        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--autoplay-policy=no-user-gesture-required", "--hide-scrollbars", "--disable-background-networking",
             "--disable-component-update", "--disable-sync", "--remote-debugging-port=0",
             f"--user-data-dir={self.folder}", f"--window-size={width},{height}",
             # What a folder gives counts as from elsewhere.
             *(["--disable-features=LocalNetworkAccessChecks"] if source else []), "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            preexec_fn=end_with_parent)

    async def open(self):
        path = os.path.join(self.folder, "DevToolsActivePort")
        while not os.path.exists(path) or "\n" not in open(path).read():
            if self.process.poll() is not None:
                raise SystemExit("chromium did not start")
            await asyncio.sleep(0.05)
        port = open(path).read().split("\n")[0]
        pages = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json"))
        page = next(page for page in pages if page["type"] == "page")
        self.socket = await websockets.connect(page["webSocketDebuggerUrl"], max_size=None)
        self.reader = asyncio.create_task(self.read())
        for domain in ["Runtime", "Log", "Page"]:
            await self.call(f"{domain}.enable")
        if self.source:
            await self.call("Fetch.enable", patterns=[{"urlPattern": "http*://*/*"}])
        width, height = self.size
        await self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        # What has the focus gets its events, as in a window in front.
        await self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        scheme = "dark" if self.dark else "light"
        await self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    async def read(self):
        async for text in self.socket:
            message = json.loads(text)
            if "id" in message:
                self.waiting.pop(message["id"]).set_result(message)
                continue
            method, parameters = message["method"], message["params"]
            if method == "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                self.errors.append(details.get("exception", {}).get("description", details["text"]))
            elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
                self.errors.append(" ".join(str(value.get("value", value.get("description"))) for value in parameters["args"]))
            elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                entry = parameters["entry"]
                self.errors.append(f"{entry['text']} {entry.get('url', '')}".strip())
            elif method == "Fetch.requestPaused":
                asyncio.create_task(self.substitute(parameters))

    async def substitute(self, parameters):
        path = re.sub(r"^\w+://[^/]*", "", parameters["request"]["url"]).split("?")[0]
        name = "page.html" if path == "/" else path[1:]
        file = os.path.join(self.source, name)
        if not os.path.isfile(file):
            return await self.call("Fetch.continueRequest", requestId=parameters["requestId"])
        kind = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}[name.split(".")[-1]]
        await self.call("Fetch.fulfillRequest", requestId=parameters["requestId"], responseCode=200,
                        responseHeaders=[{"name": "Content-Type", "value": kind}],
                        body=base64.b64encode(open(file, "rb").read()).decode())

    async def call(self, method, **parameters):
        self.number += 1
        self.waiting[self.number] = answer = asyncio.get_running_loop().create_future()
        await self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        message = await answer
        if "error" in message:
            raise SystemExit(f"{method}: {message['error']['message']}")
        return message["result"]

    async def value(self, expression):
        result = await self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, userGesture=True)
        if "exceptionDetails" in result:
            raise SystemExit(result["exceptionDetails"]["exception"].get("description", "an exception"))
        return result["result"].get("value")

    async def until(self, expression):
        while not await self.value(expression):
            await asyncio.sleep(0.05)

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def is_whole(looks):
    """Whether the last look's window, which is shorter than four looks with the figures' own delay, has no break in it.

    After an underrun nothing is played, and nothing else counted, until the buffer is full again.
    """
    breaks = [(look["underruns"], look["jumps"], look["missingFrames"]) for look in looks[-6:]]
    return len(breaks) == 6 and len(set(breaks)) == 1 and all(look["isPlaying"] for look in looks[-6:])


async def listen(browser, seconds, buffer):
    if buffer:
        await browser.value(f"globalThis.iounitPlayer.setBuffer({buffer / 1000})")
    await browser.value("document.getElementById('listen').click()")
    await browser.until("globalThis.iounitPlayer.state === 'playing'")
    # Until the buffer is what it was to be, and the analyser looks back on nothing else.
    await asyncio.sleep(5)
    first = await browser.value(LOOK)
    looks, delays, whole = [], [], []
    while len(looks) < round(seconds / 0.25) or len(whole) < 4:
        await asyncio.sleep(0.25)
        look = await browser.value(LOOK)
        looks.append(look)
        if is_whole(looks):
            whole.append(look["hertz"])
        if look.get("latencyMilliseconds"):
            delays.append(look["latencyMilliseconds"])
    few = min(20, max(1, len(delays) // 2))
    early, late = sorted(delays[:few])[few // 2], sorted(delays[-few:])[few // 2]
    delays.sort()
    last = looks[-1]
    return {
        "codec": last["codec"], "contextRate": last["contextRate"], "states": sorted({look["state"] for look in looks}),
        "lowestHertz": min(whole), "highestHertz": max(whole), "wholeWindows": len(whole),
        "underruns": last["underruns"] - first["underruns"], "startUnderruns": first["underruns"], "jumps": last["jumps"] - first["jumps"],
        "delayMilliseconds": {"least": delays[0], "median": delays[len(delays) // 2], "most": delays[-1]},
        "earlyDelayMilliseconds": early, "lateDelayMilliseconds": late,
        "bufferMilliseconds": last["filled"] * 1000, "targetMilliseconds": last["margin"] * 1000,
        "partsPerMillion": last["partsPerMillion"], "lostPackets": last["lost"], "decoderErrors": last["decoderErrors"],
        "peak": max(look["peak"] for look in looks),
    }


async def drag(browser, selector, right, down, finger=False):
    found = f"document.querySelector({json.dumps(selector)})"
    await browser.until(f"{found} && !{found}.disabled")
    place = await browser.value(
        f"(() => {{ {found}.scrollIntoView({{ block: 'center' }}); const box = {found}.getBoundingClientRect();"
        " return { x: box.x + box.width / 2, y: box.y + box.height / 2 }; })()")
    async def touch(kind, *part):
        points = [{"x": place["x"] + part * right, "y": place["y"] + part * down} for part in part]
        await browser.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)
    async def mouse(kind, part, buttons):
        await browser.call("Input.dispatchMouseEvent", type=kind, x=place["x"] + part * right, y=place["y"] + part * down,
                           button="left", buttons=buttons, clickCount=1)
    if finger:
        await browser.call("Emulation.setTouchEmulationEnabled", enabled=True)
        await touch("touchStart", 0)
        for step in range(1, 11):
            await touch("touchMove", step / 10)
        return await touch("touchEnd")
    await mouse("mousePressed", 0, 1)
    for step in range(1, 11):
        await mouse("mouseMoved", step / 10, 1)
    await mouse("mouseReleased", 1, 0)


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("--listen", type=float)
    parser.add_argument("--buffer", type=float)
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--height", type=int, default=900)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--rate", type=int)
    parser.add_argument("--drag", nargs=3)
    parser.add_argument("--swipe", nargs=3)
    parser.add_argument("--screenshot")
    parser.add_argument("--do")
    parser.add_argument("--from", dest="source")
    options = parser.parse_args()
    browser = Browser(options.width, options.height, options.dark, options.source)
    try:
        await asyncio.wait_for(browser.open(), 30)
        if options.plain:
            await browser.call("Page.addScriptToEvaluateOnNewDocument", source="delete globalThis.AudioDecoder")
        if options.rate:
            await browser.call("Page.addScriptToEvaluateOnNewDocument", source=(
                "{ const Usual = AudioContext; globalThis.AudioContext = class extends Usual {"
                f" constructor(options) {{ super({{ ...options, sampleRate: {options.rate} }}); }} }}; }}"))
        await browser.call("Page.navigate", url=options.url)
        await asyncio.wait_for(browser.until("document.getElementById('state')?.dataset.state === 'running'"), 30)
        report = {"title": await browser.value("document.title")}
        if options.listen:
            report |= await asyncio.wait_for(listen(browser, options.listen, options.buffer), options.listen + 40)
        for gesture, finger in [(options.drag, False), (options.swipe, True)]:
            if gesture:
                selector, right, down = gesture
                await asyncio.wait_for(drag(browser, selector, float(right), float(down), finger), 30)
        if options.do:
            report["value"] = await asyncio.wait_for(browser.value(options.do), 30)
        if options.screenshot:
            await asyncio.sleep(1.5)
            height = await browser.value("document.documentElement.scrollHeight")
            width = await browser.value("document.documentElement.scrollWidth")
            report["page"] = [width, height]
            picture = await browser.call("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                                         clip={"x": 0, "y": 0, "width": options.width, "height": height, "scale": 1})
            with open(options.screenshot, "wb") as file:
                file.write(base64.b64decode(picture["data"]))
        report["errors"] = browser.errors
        print(json.dumps(report))
    except (asyncio.TimeoutError, TimeoutError):
        raise SystemExit(f"the page did not come to it; it said: {browser.errors}")
    finally:
        browser.close()


asyncio.run(main())
