import AudioDSP
import AudioIO
import AudioReports
import CommandSyntax

@testable import LiveRuns

struct ClickSetting: BitwiseCopyable, ParameterSetting {
    var tempo: Float = 0
    static let tempo = ParameterField<Self>.number("tempo", "beats a minute of a click; 0 is none", 0...300, \.tempo)
    static let fields = [tempo]
}

/// A millisecond of half of full scale at each beat, mixed into the sound.
struct ClickSound: AudioProcessor, ~Copyable {
    private var setting: ParameterReader<ClickSetting>
    private var frame = 0

    init(_ setting: consuming ParameterReader<ClickSetting>) { self.setting = setting }

    mutating func process(_ block: borrowing ProcessorBlock) {
        let tempo = setting.newest().tempo
        guard tempo > 0 else { return }
        let beat = Int(Float(block.sampleRate) * 60 / tempo)
        for place in 0..<block.frames {
            if frame < block.sampleRate / 1000 { for channel in 0..<block.channels { block[channel, place] += 0.5 } }
            frame = frame + 1 < beat ? frame + 1 : 0
        }
    }

    mutating func reset(sampleRate: Int) { frame = 0 }
}

@_noLocks @_noAllocation
private func click(_ call: ProcessorCall) { call.process(ClickSound.self) }

/// `--tempo`: a click on each beat, in the outputs of any live run.
struct ClickOptions: PartOptions {
    static let group = (heading: "Click", options: [Option(ClickSetting.tempo.info)])
    private var setting = ClickSetting()

    init?(_ arguments: Arguments) throws(Failure) {
        guard arguments.has(ClickSetting.tempo.info) else { return nil }
        try arguments.read(ClickSetting.fields, into: &setting)
    }

    func open(inputs: Int, outputs: Int) throws -> ClickPart { ClickPart(setting) }
}

final class ClickPart: RunPart {
    private let group: ParameterGroup<ClickSetting>
    private let node: Processor

    init(_ setting: ClickSetting) {
        let group = ParameterGroup<ClickSetting>()
        group.change { $0 = setting }
        self.group = group
        node = Processor(ClickSound(group.makeReader()), parameters: group.parameters, process: click)
    }

    func connect(behind last: any Node, in engine: Engine) throws -> any Node {
        engine.attach(node)
        try engine.connect(last, to: node)
        return node
    }

    var controls: [Control] { Control.all(of: [("", node)]) }
    var words: [String] { ["click \(shortest(report?.tempo ?? 0))"] }
    var report: ClickReport? { ClickReport(tempo: thousandths(Double(group.value.tempo))) }
}

struct ClickReport: PartReport {
    var tempo: Double

    static let field = (name: "click", meaning: "the click in the outputs; null without --tempo")
    static let fields: [ReportField<Self>] = [.field("tempo", "beats a minute, at the end", \.tempo)]

    var lines: [String] { ["  click at \(shortest(tempo)) beats a minute"] }
}
