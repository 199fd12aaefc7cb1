/// A card that ALSA knows, and that has PCM: JACK cannot run on one that has MIDI alone.
struct SoundCard {
    /// A stream of a card that a program has open.
    struct Use {
        /// As `/proc/asound/card0/pcm0p/sub0`.
        var place: String
        /// `nil` where the kernel does not tell, as of a program outside of this container.
        var owner: Int?
        /// In hertz and frames; `nil` where it was not set up.
        var rate: Int?
        var period: Int?
    }

    static let subject = Subject(
        "sound cards", because: "JACK takes its time, its inputs and its outputs from a card")
    private static let list = "/proc/asound/cards"
    private static let pcmList = "/proc/asound/pcm"
    private static let devices = "/dev/snd"

    var number: Int
    /// What ALSA's `hw:` takes.
    var identifier: String
    /// In the driver's words.
    var name: String
    var isUSB: Bool
    var uses: [Use]

    static func all(_ machine: Machine) -> [SoundCard] {
        let playable = numbersWithPCM(machine)
        // ` 0 [PCH            ]: HDA-Intel - HDA Intel PCH`, and a second line that goes on.
        return (machine.text(list)?.lines ?? []).compactMap { line in
            guard let start = line.firstIndex(of: "["), let end = line.firstIndex(of: "]"), start < end,
                let number = line[..<start].words.first.flatMap({ Int($0) }),
                let colon = line[end...].firstIndex(of: ":"), playable?.contains(number) ?? true
            else { return nil }
            let folder = "/proc/asound/card\(number)"
            return SoundCard(
                number: number, identifier: line[line.index(after: start)..<end].words.joined(separator: " "),
                name: line[line.index(after: colon)...].words.joined(separator: " "),
                isUSB: machine.exists("\(folder)/usbid"), uses: uses(machine, folder))
        }
    }

    /// The cards that have PCM; `nil` where the kernel does not tell.
    private static func numbersWithPCM(_ machine: Machine) -> Set<Int>? {
        // `00-03: HDMI 0 : HDMI 0 : playback 1`: the numbers of the card and of its device come first.
        machine.text(pcmList).map { text in Set(text.lines.compactMap { line in Int(line.prefix { $0 != "-" }) }) }
    }

    private static func uses(_ machine: Machine, _ folder: String) -> [Use] {
        let streams = (machine.names(in: folder) ?? []).filter { $0.hasPrefix("pcm") }.map { "\(folder)/\($0)" }
        let places = streams.flatMap { stream in
            (machine.names(in: stream) ?? []).filter { $0.hasPrefix("sub") }.map { "\(stream)/\($0)" }
        }
        return places.compactMap { place in
            guard let status = machine.text("\(place)/status"), status.words.first != "closed" else { return nil }
            let setup = machine.text("\(place)/hw_params") ?? ""
            return Use(
                place: place, owner: status.value(of: "owner_pid").flatMap { process(of: $0, machine) },
                rate: setup.value(of: "rate")?.words.first.flatMap { Int($0) },
                period: setup.value(of: "period_size").flatMap { Int($0) })
        }
    }

    /// The kernel names the thread that has opened the stream, or says 0 for one that is not to be seen from here.
    private static func process(of thread: String, _ machine: Machine) -> Int? {
        guard let number = Int(thread), number > 0 else { return nil }
        return machine.text("/proc/\(number)/status")?.value(of: "Tgid").flatMap { Int($0) } ?? number
    }

    static func findings(_ snapshot: Snapshot) -> [Finding?] {
        let machine = snapshot.machine
        guard !snapshot.cards.isEmpty else {
            // A container's /proc may have an empty folder in its place.
            let isHidden = machine.exists("/proc/asound") && !machine.exists(list) || snapshot.container != nil
            return [
                Finding(
                    subject, isHidden ? .unseen : .warning,
                    isHidden ? "Sound cards cannot be seen from within here." : "There is no sound card.",
                    remedy: [
                        Step("to do without one, use the dummy backend, or iounit with --dummy", "jackd -d dummy")
                    ]
                        + (isHidden
                            ? (snapshot.container ?? .unknown).steps(for: .cards)
                            : [Step("see what is plugged in", "lspci; lsusb")]),
                    from: [list, pcmList])
            ]
        }
        let names = snapshot.cards.map { "\($0.name) (hw:\($0.identifier))" }.joined(separator: ", ")
        return [Finding(subject, .ok, "There is \(names).", from: [list]), bar(snapshot, names)]
    }

    /// What keeps this user from all cards; `nil` where nothing does.
    private static func bar(_ snapshot: Snapshot, _ names: String) -> Finding? {
        let nodes = (snapshot.machine.names(in: devices) ?? []).filter { $0.hasPrefix("pcm") }
        guard !nodes.contains(where: { snapshot.machine.mayUse("\(devices)/\($0)") }) else { return nil }
        return Finding(
            subject, .problem,
            nodes.isEmpty
                ? "There is \(names), but no device of it in \(devices)."
                : "This user may not use the sound cards' devices in \(devices).",
            remedy: nodes.isEmpty
                ? (snapshot.container ?? .unknown).steps(for: .cards)
                : [.join("audio", snapshot.user), .logInAgain],
            from: [devices])
    }
}
