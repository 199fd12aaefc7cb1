import AudioFigures
import AudioReports
import Foundation
import FoundationXML
import Testing

@Suite("The page of a report") struct PageTests {
    /// What a reader of XHTML makes of it: throws where it is not well-formed.
    private final class Outline: NSObject, XMLParserDelegate {
        private(set) var elements: [(name: String, attributes: [String: String])] = []
        private(set) var texts: [String: String] = [:]
        private var open: [String] = []

        init(_ page: String) throws {
            super.init()
            let parser = XMLParser(data: Data(page.replacing("<!DOCTYPE html>\n", with: "").utf8))
            parser.delegate = self
            try #require(parser.parse(), "\(parser.parserError.map { "\($0)" } ?? "") in line \(parser.lineNumber)")
        }

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String] = [:]
        ) {
            elements.append((name, attributes))
            open.append(name)
        }

        func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
            open.removeLast()
        }

        func parser(_ parser: XMLParser, foundCharacters text: String) { texts[open.last ?? "", default: ""] += text }

        func count(_ name: String, _ style: String? = nil) -> Int {
            elements.count { $0.name == name && (style == nil || $0.attributes["class"] == style) }
        }
    }

    @Test(arguments: SampleReport.all.map(\.name))
    func `is well-formed and complete in itself, whatever was measured`(_ name: String) throws {
        let report = try #require(SampleReport.all.first { $0.name == name }?.report)
        let page = HTMLPage(report, json: "{\"name\":\"\(SampleReport.hostileName.prefix(20))&amp;\"}").text
        let outline = try Outline(page)
        #expect(outline.count("script") == 1 && outline.count("link") == 0 && outline.count("img") == 0)
        for element in outline.elements {
            #expect(element.attributes["src"] == nil && element.attributes["onclick"] == nil)
            if let address = element.attributes["href"] { #expect(address.hasPrefix("#"), "nothing is fetched") }
        }
    }

    @Test func `begins with a short verdict and four tiles, of which what was lost or is beyond a limit is marked`()
        throws
    {
        var report = SampleReport.jitter
        report.limits = [
            LimitResult(limit: "p99=1us", mode: "callback", measured: 96.4, unit: "us", isMet: false),
            LimitResult(limit: "latency=1", mode: "callback", measured: 0, unit: "frames", isMet: true),
        ]
        let page = HTMLPage(report).text
        let tiles = page.matches(of: /<li class="(\w+)"><span class="name">([^<]*)</).map { "\($0.2): \($0.1)" }
        #expect(tiles == ["✗ p99 deviation: bad", "✗ lost: bad", "✗ xruns: bad", "✓ latency added: good"])
        let verdict = try #require(page.firstMatch(of: /<p class="verdict">([^<]*)<\/p>/)).1
        #expect(verdict.hasPrefix("The callback came every 1.333 ms within") && !verdict.contains(";"), "\(verdict)")
        #expect(page.contains("<p class=\"rest\">12.3 ms of time was lost"))

        let quiet = HTMLPage(SampleReport.compare).text
        #expect(quiet.contains("queued 441: "), "the other modes stand below the first one's")
        #expect(quiet.contains("882: 2646 frames dropped or inserted"))
        #expect(!HTMLPage(SampleReport.nothing).text.contains("class=\"tiles\""))
    }

    @Test func `the tile of what was lost tells the most of all modes`() throws {
        var report = SampleReport.compare
        report.modes[1].lost.nanoseconds = 12_345_678
        let tile = try #require(HTMLPage(report).text.firstMatch(of: /lost<\/span><span class="value">([^<]*)</))
        #expect(tile.1 == "12.3 ms")
    }

    @Test func `a run too short for p99 tells the worst deviation in its place`() {
        var report = SampleReport.empty()
        report.modes = [SampleReport.callback(cycles: 50)]
        let page = HTMLPage(report).text
        #expect(page.contains(">worst deviation<") && !page.contains("p99 deviation"))
    }

    @Test func `every plot names its axes and has the period in it, and what has no data is left out`() throws {
        let outline = try Outline(HTMLPage(SampleReport.compare).text)
        // Intervals, percentiles, latencies and a timeline for each of three modes, each for wide and narrow windows.
        #expect(outline.count("svg", "wide") == 6 && outline.count("svg", "narrow") == 6)
        let text = outline.texts["text"] ?? ""
        for title in [
            "interval, from one callback's start to the next", "share of intervals that deviate by at most this, %",
            "deviation, early or late", "time since the beginning, s", "deviation from nominal",
            "latency from input to output, frames", "period 1.333 ms", "period 64 frames",
        ] {
            #expect(text.contains(title), "\(title)")
        }
        #expect(outline.count("line", "period") >= 12)
        for report in [SampleReport.oneCycle, SampleReport.empty()] {
            #expect(try Outline(HTMLPage(report).text).count("figure") == 0)
        }
        let single = HTMLPage(SampleReport.jitter).text
        #expect(!single.contains("Latency through each mode"), "of one mode it is a number")
    }

    /// As of `compare --preset seed`.
    @Test func `modes of two servers have each its own period in the plots`() throws {
        var report = SampleReport.empty("iounit.compare/2")
        report.server.periodFrames = 2048
        report.modes = [
            SampleReport.callback(cycles: 2000), SampleReport.queue(buffers: 3, of: 4410, cycles: 200),
        ]
        report.modes[1].periodFrames = 2048
        let sections = HTMLPage(report).text.components(separatedBy: "<h2>")
        func periods(_ markup: String) -> [String] {
            markup.matches(of: /period ([\d.]+ .s)<\/text>/).map { String($0.1) }.sorted()
        }
        // In the wide drawing and in the narrow one.
        for title in ["Intervals", "How rare, how far from nominal"] {
            let section = try #require(sections.first { $0.hasPrefix("\(title)<") })
            #expect(periods(section) == ["1.333 ms", "1.333 ms", "42.67 ms", "42.67 ms"], "\(title)")
        }
        let timelines = try #require(sections.first { $0.hasPrefix("Deviation over time<") })
            .components(separatedBy: "<h3>")
        for (mode, period) in [("callback", "1.333 ms"), ("queued 4410", "42.67 ms")] {
            let timeline = try #require(timelines.first { $0.hasPrefix("\(mode)<") })
            #expect(periods(timeline) == [period, period], "\(mode)")
        }
        let latencies = try #require(sections.first { $0.hasPrefix("Latency through each mode<") })
        let told = latencies.matches(of: /period (\d+) frames<\/text>/).map { String($0.1) }
        #expect(told.sorted() == ["2048", "2048", "64", "64"])
    }

    @Test func `a mode has one colour in all plots and the table, and only what is bad is red`() throws {
        let outline = try Outline(HTMLPage(SampleReport.compare).text)
        let styles = outline.elements.compactMap { $0.attributes["class"] }
        for mode in 1...3 {
            for drawn in ["filled", "line drawn", "band"] {
                #expect(styles.contains("\(drawn) mode\(mode)"), "\(drawn) of mode \(mode)")
            }
        }
        let red = outline.elements.filter { $0.name == "td" && $0.attributes["class"]?.contains("bad") == true }
        // Two limits and what they are of, in both units; late cycles; the frames that a queue dropped and inserted.
        #expect(red.count == 8, "\(red.map(\.attributes))")
    }

    @Test func `the glossary is folded`() throws {
        let page = HTMLPage(SampleReport.jitter).text
        let fold = try #require(page.firstMatch(of: /<details>\n<summary>([^<]*)<\/summary>/))
        #expect(fold.1 == "What the figures mean")
    }

    @Test func `the figures in it are data that no browser takes for markup`() throws {
        let json = "{\"a\":\"</script><!--<b>&lt;\"}"
        let page = HTMLPage(SampleReport.jitter, json: json).text
        let kept = try #require(page.firstMatch(of: /<script type="application\/json" id="report">(.*)<\/script>/)).1
        #expect(!kept.contains("<") && !kept.contains("&"))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(kept.utf8)) as? [String: String])
        #expect(object == ["a": "</script><!--<b>&lt;"])
        #expect(!HTMLPage(SampleReport.jitter).text.contains("<script"))
    }

    @Test func `a sign with a combining mark behind it is no markup either`() throws {
        let page = HTMLPage(SampleReport.jitter, json: "{\"a\":\"<\u{338}b>\u{338} &\u{301}\"}").text
        _ = try Outline(page)
        #expect(page.contains("\\u003c\u{338}b\\u003e\u{338} \\u0026\u{301}"))
    }

    /// A day of it: marks and steps as many as a report holds, in every mode.
    @Test func `has a bounded size however long the run`() throws {
        var report = SampleReport.crowd
        for index in report.modes.indices {
            report.modes[index].series.stepNanoseconds = 144_000_000_000
            report.modes[index].series.steps = (0..<600).map {
                let (early, late): (Int, Int) = ($0 * 997 % 600_000, $0 * 131_071 % 90_000_000)
                return Series.Step(earliest: -Int64(early), latest: Int64(late))
            }
            report.modes[index].series.events = (0..<4096).map {
                let (late, blame): (Int, Int) = (1_000_000 + $0 * 7919 % 5_000_000, $0 % 4)
                return Series.Event(
                    nanoseconds: Int64($0) * 21_093_750_000, lateNanoseconds: Int64(late), blame: Blame.allCases[blame])
            }
        }
        report.seconds = 86_400
        let page = HTMLPage(report).text
        #expect(page.utf8.count < (128 + 256 * report.modes.count) << 10, "\(page.utf8.count)")
        #expect(page.contains("time since the beginning, h") && page.contains(">24<"))
        #expect(page.contains(#/at 23:\d\d:\d\d: /#))
        #expect(page.ranges(of: "<use class=\"mark").count < report.modes.count * 4 * 200)
    }
}

@Suite("A table on a terminal") struct TableColorTests {
    @Test func `shows what is bad in red and a limit that was met in green, and is otherwise the same`() {
        let plain = ReportTable(SampleReport.compare).text
        let colored = ReportTable(SampleReport.compare, hasColor: true).text
        #expect(!plain.contains("\u{1b}"))
        #expect(colored.replacing(/\x{1b}\[\d+m/, with: "") == plain)
        #expect(colored.contains("\u{1b}[32m  met") && colored.contains("\u{1b}[31m  EXCEEDED"), "\(colored)")
        let red = colored.matches(of: /\x{1b}\[31m *([\d.]+)/).map { String($0.1) }
        #expect(red == ["8268.8", "2", "2645.749", "55.120", "882", "1764"], "\(red)")
    }
}
