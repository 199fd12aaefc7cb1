import AudioIO
import AudioPlugins

let engine = try Engine(offline: 48_000)
let reverb = try Plugin("fomp/reverb", channels: 2, sampleRate: 48_000)
engine.attach(reverb)
try engine.connect(engine.input, to: reverb)
try engine.connect(reverb, to: engine.output)
for parameter in reverb.parameters { print(parameter.info.name, parameter.info.takes, parameter.value) }
let text = try reverb.savedState()  // Turtle; restore(text) takes it
try reverb.restore(text)
try engine.start()
var impulse = [Float](repeating: 0, count: 48_000)
impulse[0] = 1
let tail = try engine.render(48_000, input: [impulse, impulse])[0]
print("\(tail.count { $0 != 0 }) frames of reverb")
