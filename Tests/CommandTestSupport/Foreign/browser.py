#!/usr/bin/python3
"""Opens the page of a unit in headless Chromium and says on one line of JSON what is seen and heard there.

usage: browser.py URL [--listen SECONDS] [--buffer MS] [--width PX --height PX] [--dark] [--screenshot FILE]
                  [--plain] [--rate HERTZ] [--drag SELECTOR X Y] [--swipe SELECTOR X Y] [--at X Y] [--do SCRIPT]
                  [--from FOLDER] [--port PORT]
       browser.py --keep

--listen   press the button, wait until it plays, and measure for so long: the frequency by an AnalyserNode, underruns,
           delay, and its median in the first and in the last five seconds. The frequency is that of sound without a
           break: a window with an underrun, a jump or a gap in it has none. Nine windows are waited for, as a break that
           the unit had itself, of which the page knows nothing, spoils the three that look at it
--buffer   what the page's control of that name is set to; the page's own choice where it is not given
--plain    a browser without WebCodecs
--rate     the sample rate of the page's AudioContext, whatever that of the sound card
--drag     press the mouse in the middle of what a CSS selector finds, once it can be pressed, and let it go X pixels to
           the right and Y below
--swipe    the same with a finger
--at       not in the middle, but so many pixels to the right of it and below
--do       JavaScript that is run before the end; its value is "value"
--from     take the page's files from a folder, to work on them
--port     in a Chromium that is kept, as if it were a new one: in a profile that lasts as long as the page
--keep     keep a Chromium, which is as good as new for each page, until the standard input ends; its PORT is printed
"""
import argparse, asyncio, base64, ctypes, json, os, re, shutil, signal, statistics, subprocess, sys, tempfile, threading, urllib.request

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


def start(folder, *words):
    return subprocess.Popen(
        ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
         "--autoplay-policy=no-user-gesture-required", "--hide-scrollbars", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--remote-debugging-port=0",
         f"--user-data-dir={folder}", *words, "about:blank"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        preexec_fn=end_with_parent)


def end(process, folder):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    shutil.rmtree(folder, ignore_errors=True)


async def port_of(process, folder):
    path = os.path.join(folder, "DevToolsActivePort")
    while not os.path.exists(path) or "\n" not in open(path).read():
        if process.poll() is not None:
            raise SystemExit("chromium did not start")
        # It tells nobody when it has written its file. Who calls this has a deadline.
        await asyncio.sleep(0.05)
    return int(open(path).read().split("\n")[0])


async def keep():
    folder = tempfile.mkdtemp(prefix="iounit-browser-")
    process = start(folder)
    try:
        print(await asyncio.wait_for(port_of(process, folder), 60), flush=True)
        isOver = threading.Event()

        def watch():
            sys.stdin.read()
            isOver.set()
            process.kill()

        threading.Thread(target=watch, daemon=True).start()
        process.wait()
        if not isOver.is_set():
            raise SystemExit("chromium has ended")
    finally:
        end(process, folder)


class Channel:
    """Asks Chromium, or a page of it, and hears of what happens there."""

    def __init__(self, happens=lambda method, parameters: None):
        self.happens, self.number, self.waiting = happens, 0, {}

    async def open(self, address):
        # A page that is gone says nothing more, which would be waited for at the end.
        self.socket = await websockets.connect(address, max_size=None, close_timeout=0.1)
        self.reader = asyncio.create_task(self.read())

    async def read(self):
        try:
            async for text in self.socket:
                message = json.loads(text)
                if "id" in message:
                    answer = self.waiting.pop(message["id"])
                    # Who asked may have given up.
                    if not answer.done():
                        answer.set_result(message)
                else:
                    self.happens(message["method"], message["params"])
        except websockets.ConnectionClosed:
            for answer in self.waiting.values():
                if not answer.done():
                    answer.set_exception(SystemExit("chromium has gone, or the page"))

    async def call(self, method, **parameters):
        self.number += 1
        self.waiting[self.number] = answer = asyncio.get_running_loop().create_future()
        await self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        message = await answer
        if "error" in message:
            raise SystemExit(f"{method}: {message['error']['message']}")
        return message["result"]


class Browser:
    def __init__(self, options):
        self.size, self.dark, self.source = (options.width, options.height), options.dark, options.source
        self.port, self.process, self.context, self.errors = options.port, None, None, []
        self.chromium, self.page = Channel(), Channel(self.note)
        self.call = self.page.call

    async def open(self):
        if not self.port:
            self.folder = tempfile.mkdtemp(prefix="iounit-browser-")
            # What a folder gives counts as from elsewhere.
            words = ["--disable-features=LocalNetworkAccessChecks"] if self.source else []
            self.process = start(self.folder, *words)
            self.port = await port_of(self.process, self.folder)
        address = f"127.0.0.1:{self.port}"
        await self.chromium.open(json.load(urllib.request.urlopen(f"http://{address}/json/version"))["webSocketDebuggerUrl"])
        # It ends with this connection, however that ends.
        self.context = (await self.chromium.call("Target.createBrowserContext", disposeOnDetach=True))["browserContextId"]
        width, height = self.size
        target = await self.chromium.call("Target.createTarget", url="about:blank", browserContextId=self.context, newWindow=True)
        await self.page.open(f"ws://{address}/devtools/page/{target['targetId']}")
        for domain in ["Runtime", "Log", "Page"]:
            await self.call(f"{domain}.enable")
        if self.source:
            await self.call("Fetch.enable", patterns=[{"urlPattern": "http*://*/*"}])
        await self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        # What has the focus gets its events, as in a window in front.
        await self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        scheme = "dark" if self.dark else "light"
        await self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def note(self, method, parameters):
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

    async def value(self, expression):
        result = await self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, userGesture=True)
        if "exceptionDetails" in result:
            raise SystemExit(result["exceptionDetails"]["exception"].get("description", "an exception"))
        return result["result"].get("value")

    async def until(self, expression):
        while not await self.value(expression):
            await asyncio.sleep(0.05)

    async def close(self):
        if self.process:
            end(self.process, self.folder)
        elif self.context:
            await asyncio.wait_for(self.chromium.call("Target.disposeBrowserContext", browserContextId=self.context), 10)


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
    while len(looks) < round(seconds / 0.25) or len(whole) < 9:
        await asyncio.sleep(0.25)
        look = await browser.value(LOOK)
        looks.append(look)
        # A unit whose server stood still sends silence, which has no pitch.
        if is_whole(looks) and look["hertz"] is not None:
            whole.append(look["hertz"])
        if look.get("latencyMilliseconds"):
            delays.append(look["latencyMilliseconds"])
    few = min(20, max(1, len(delays) // 2))
    early, late = sorted(delays[:few])[few // 2], sorted(delays[-few:])[few // 2]
    delays.sort()
    last = looks[-1]
    return {
        "codec": last["codec"], "contextRate": last["contextRate"], "states": sorted({look["state"] for look in looks}),
        "medianHertz": statistics.median(whole), "hertz": whole,
        "underruns": last["underruns"] - first["underruns"], "startUnderruns": first["underruns"], "jumps": last["jumps"] - first["jumps"],
        "delayMilliseconds": {"least": delays[0], "median": delays[len(delays) // 2], "most": delays[-1]},
        "earlyDelayMilliseconds": early, "lateDelayMilliseconds": late,
        "bufferMilliseconds": last["filled"] * 1000, "targetMilliseconds": last["margin"] * 1000,
        "partsPerMillion": last["partsPerMillion"], "lostPackets": last["lost"], "decoderErrors": last["decoderErrors"],
        "peak": max(look["peak"] for look in looks),
    }


async def drag(browser, selector, right, down, at, finger=False):
    found = f"document.querySelector({json.dumps(selector)})"
    await browser.until(f"{found} && !{found}.disabled")
    place = await browser.value(
        f"(() => {{ {found}.scrollIntoView({{ block: 'center' }}); const box = {found}.getBoundingClientRect();"
        f" return {{ x: box.x + box.width / 2 + {at[0]}, y: box.y + box.height / 2 + {at[1]} }}; }})()")
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
    parser.add_argument("url", nargs="?")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--port", type=int)
    parser.add_argument("--listen", type=float)
    parser.add_argument("--buffer", type=float)
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--height", type=int, default=900)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--rate", type=int)
    parser.add_argument("--drag", nargs=3)
    parser.add_argument("--swipe", nargs=3)
    parser.add_argument("--at", nargs=2, type=float, default=(0, 0))
    parser.add_argument("--screenshot")
    parser.add_argument("--do")
    parser.add_argument("--from", dest="source")
    options = parser.parse_args()
    if options.keep:
        return await keep()
    browser = Browser(options)
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
            report |= await asyncio.wait_for(listen(browser, options.listen, options.buffer), options.listen + 80)
        for gesture, finger in [(options.drag, False), (options.swipe, True)]:
            if gesture:
                selector, right, down = gesture
                await asyncio.wait_for(drag(browser, selector, float(right), float(down), options.at, finger), 30)
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
        await browser.close()


asyncio.run(main())
