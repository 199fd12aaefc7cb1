/// Which channel of a source goes to which input, as pairs of indices from 0.
///
/// One channel goes to every input. Otherwise channel c goes to input c: of more channels than inputs, those beyond
/// begin with the first input again, where JACK mixes them; of fewer, the inputs beyond stay silent.
package func routes(channels: Int, inputs: Int) -> [(channel: Int, input: Int)] {
    guard inputs > 0 else { return [] }
    if channels == 1 { return (0..<inputs).map { (0, $0) } }
    return (0..<channels).map { ($0, $0 % inputs) }
}
