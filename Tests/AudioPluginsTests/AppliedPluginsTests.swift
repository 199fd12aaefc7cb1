import AudioIO
import AudioPlugins
import TestSupport
import Testing

@Suite("Plug-ins do what lv2apply makes of them") struct AppliedPluginsTests {
    /// Of eight packages, with one or two channels; deterministic, and the same for blocks of any length: lv2apply has blocks of
    /// one frame.
    /// Not ringmod-swh: it reads one sample behind the end of its tables, where anything may be.
    static let plugins = [
        "blop/amp", "blop/lp4pole", "darc/mono", "darc/stereo", "eg-amp.lv2", "fomp/cs_chorus1", "fomp/cs_phaser1_lfo",
        "fomp/parametric1",
        "fomp/reverb",
        "invada/compressor", "mda/Ambience", "mda/Bandisto", "mda/Combo", "mda/DeEss", "mda/Delay", "mda/Detune",
        "mda/Dynamics", "mda/Image", "mda/Limiter", "mda/MultiBand", "mda/Overdrive", "mda/RezFilter", "mda/RingMod",
        "mda/Stereo", "mda/SubSynth", "mda/ThruZero", "mda/Transient", "sapistaEQv2/bassup", "sapistaEQv2/compressor",
        "sapistaEQv2/compressor_stereo", "sapistaEQv2/gate", "sapistaEQv2/gate_stereo", "sapistaEQv2/matrix_lr2ms",
        "amp-swh/amp", "simple_comb-swh/comb", "dj_eq-swh/dj_eq", "dj_eq-swh/dj_eq_mono", "flanger-swh/flanger",
        "foverdrive-swh/foverdrive", "gate-swh/gate", "hard_limiter-swh/hardLimiter", "highpass_iir-swh/highpass_iir",
        "karaoke-swh/karaoke", "lcr_delay-swh/lcrDelay", "lookahead_limiter-swh/lookaheadLimiter",
        "sc1-swh/sc1", "sc4-swh/sc4", "shaper-swh/shaper", "single_para-swh/singlePara", "svf-swh/svf",
    ]

    @Test(arguments: plugins) func `sample for sample, in two channels`(_ name: String) throws {
        let plugin = try Plugin(Self.uris[name] ?? name, channels: 2)
        let channels = plugin.info.inputs
        var generator = SeededGenerator(seed: 7)
        let noise = [generator.signal(count: 4000, magnitude: 0.5), generator.signal(count: 4000, magnitude: 0.5)]
        let output = try Engine.hosting(plugin, channels: 2).render(4000, input: noise)
        #expect(plugin.failure == nil && plugin.nonFiniteSamples == 0 && plugin.instanceCount == 2 / channels)
        for first in stride(from: 0, to: 2, by: channels) {
            let wanted = try applied(plugin, Array(noise[first..<first + channels]))
            #expect(wanted.count == channels)
            for channel in 0..<channels { #expect(wanted[channel] == output[first + channel]) }
        }
    }

    /// Where the short name is not unique.
    private static let uris = [
        "eg-amp.lv2": "http://lv2plug.in/plugins/eg-amp",
        "invada/compressor": "http://invadarecords.com/plugins/lv2/compressor/stereo",
    ]

    @Test func `with parameters that were set`() throws {
        let plugin = try Plugin("dj_eq-swh/dj_eq_mono", channels: 1)
        for parameter in plugin.parameters where parameter.info.name != "bypass" {
            try parameter.set(parameter.info.value(atPosition: 0.3))
        }
        var generator = SeededGenerator(seed: 8)
        let noise = generator.signal(count: 4000, magnitude: 0.5)
        let output = try Engine.hosting(plugin).render(noise)
        #expect(try applied(plugin, [noise]) == [output] && output != noise)
    }

    private func applied(_ plugin: Plugin, _ channels: [[Float]]) throws -> [[Float]] {
        let values = plugin.info.controls.map { port in
            let parameter = plugin.parameters.first { $0.info.name == port.symbol }
            return (port.symbol, parameter.map { port.number($0.value) } ?? 0)
        }
        return try AppliedPlugin(plugin.info.uri, bundle: plugin.info.bundle, values: values).output(of: channels)
    }
}
