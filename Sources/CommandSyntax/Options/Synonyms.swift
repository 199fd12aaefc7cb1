/// What other programs call an option or a subcommand that is called otherwise here.
enum Synonyms {
    /// - Parameters:
    ///   - word: an option that there is none of, without the dashes.
    ///   - names: the options that there are.
    /// - Returns: the one that means it.
    static func option(_ word: String, among names: [String]) -> String? {
        let word = simplified(word)
        for (others, meant) in options where others.contains(word) {
            if let name = meant.first(where: { names.contains($0) }) { return name }
        }
        return nil
    }

    /// Likewise for a subcommand.
    static func subcommand(_ word: String, among names: [String]) -> String? {
        let word = simplified(word)
        return subcommands.first { $0.others.contains(word) }?.meant.first { names.contains($0) }
    }

    /// People write the same word with and without dashes and capitals.
    private static func simplified(_ word: String) -> String {
        String(word.lowercased().filter { $0 != "-" && $0 != "_" })
    }

    /// Words without dashes, and what may be meant: the first that a subcommand has.
    static let options: [(others: Set<String>, meant: [String])] = [
        (["samplerate", "sr", "freq", "frequency", "fs", "hz", "ar", "srate"], ["file-rate", "rate"]),
        (["rate"], ["file-rate", "stream-rate"]),
        (["serverrate"], ["rate"]), (["streamsamplerate"], ["stream-rate"]),
        (
            ["buffersize", "blocksize", "bufsize", "quantum", "nframes", "frames", "framesperperiod", "periodsize"],
            ["period"]
        ),
        (
            [
                "queueframes", "queuebytes", "queuemilliseconds", "queuems", "queuesize", "queuelength", "queuetime",
                "queues", "bufferms", "bufferlength",
            ],
            ["queue", "buffer"]
        ),
        (["buffers", "nbuffers", "nperiods", "periods", "buffercount"], ["queue-buffers"]),
        (["latency", "jitterbuffer", "delay", "prebuffer"], ["buffer", "expect"]),
        (["out", "outfile", "outputs", "dest", "destination", "sink", "to", "playback"], ["output", "send"]),
        (["in", "infile", "inputs", "from", "capture", "src"], ["input", "source"]),
        (["file", "playfile", "tone", "signal", "generator"], ["source"]),
        (
            ["time", "duration", "length", "secs", "sec", "t", "runtime", "timeout", "minutes", "maxtime"], ["seconds"]
        ),
        (["iterations", "count", "callbacks", "loops", "n"], ["cycles", "loop"]),
        (["volume", "vol", "level", "amp", "amplitude", "db", "attenuation"], ["gain"]),
        (["overdrive", "distortion", "saturation", "dist", "pregain"], ["drive"]),
        (["curve", "waveshaper", "shaper", "transfer", "clip"], ["shape"]),
        (["oversample", "oversampling", "aliasing", "antialiasing", "aa"], ["antialias"]),
        (["makeup", "makeupgain", "autogain"], ["compensate"]),
        (["equalizer", "equaliser", "band", "filter"], ["eq"]),
        (["aec", "echo", "denoise", "noisereduction", "agc"], ["voice"]),
        (["jack", "servername", "jackserver", "jackname"], ["server"]),
        (["private", "fake", "virtual", "nullserver", "testserver"], ["dummy"]),
        (["synchronous", "syncmode"], ["sync"]),
        (["chan", "chans", "nchannels", "numchannels", "ports", "ac", "mono", "stereo"], ["channels"]),
        (["overwrite", "replace", "clobber", "yes"], ["force"]),
        (["client", "clientname", "unitname"], ["name"]),
        (["noautoconnect", "disconnected", "isolated", "unconnected", "dontconnect"], ["no-connect"]),
        (["autoconnect", "follow", "hotplug"], ["follow-routes"]),
        (["repeat", "forever", "cycle", "endless"], ["loop", "repeat"]),
        (["random", "shuffled"], ["shuffle"]),
        (["recordfile", "capturefile", "writeto", "tape"], ["record"]),
        (["skip", "seek", "ss", "offset", "begin"], ["start"]),
        (["stop", "until", "finish"], ["end"]),
        (["failif", "max", "assert", "maximum"], ["limit"]),
        (["limit", "tolerance", "threshold"], ["fail-if"]),
        (["bitdepth", "depth", "sampleformat", "encoding", "subtype", "resolution"], ["bits", "queue-format"]),
        (["type", "filetype", "container", "ext"], ["format"]),
        (["encoder", "acodec", "compressor"], ["codec", "format"]),
        (["abr", "kbps", "ab", "br"], ["bitrate"]),
        (["packetsize", "framesize", "ptime", "packet"], ["frame"]),
        (["normalize", "norm", "loudnorm"], ["normalise"]),
        (["author", "performer"], ["artist"]),
        (["description", "about"], ["stream-description", "comment"]),
        (["genre"], ["stream-genre"]),
        (["pass", "passwd", "pwd"], ["password", "token", "page-token"]),
        (["auth", "apikey", "secret", "bearer"], ["token", "page-token", "password"]),
        (["cert", "certificate", "sslcert"], ["tls-cert"]),
        (["privatekey", "sslkey"], ["tls-key"]),
        (["ca", "cacert", "cafile"], ["tls-ca"]),
        (["host", "address", "bind", "interface"], ["listen", "serve"]),
        (["web", "http", "webpage", "browser"], ["serve"]),
        (["allowcontrol", "writable", "remote"], ["control"]),
        (["report", "page", "htmlreport"], ["html"]),
        (["log", "csvfile", "rows"], ["csv"]),
        (["xml", "testreport"], ["junit"]),
        (["histogram", "percentiles"], ["hgrm"]),
        (["threads", "workers", "parallel"], ["jobs"]),
        (["retry", "restart", "wait", "keepalive"], ["reconnect"]),
        (["noxruns", "padding", "fill"], ["gaps"]),
        (["silent", "trigger", "vad", "gate"], ["threshold"]),
        (["prerecord", "lookback", "history"], ["preroll"]),
        (["chunk", "segment", "rotate"], ["split"]),
        (["profile", "config", "settings"], ["preset"]),
        (["noconf", "ignoreconfig", "norc"], ["no-config"]),
        (["dimensions", "resolution", "geometry"], ["size"]),
        (["reference", "concertpitch", "tuning", "diapason"], ["a4"]),
        (["who", "culprit", "fault"], ["blame"]),
    ]

    static let subcommands: [(others: Set<String>, meant: [String])] = [
        (["rec", "capture", "tape"], ["record"]),
        (["list", "ls", "lsp", "connections"], ["ports"]),
        (["check", "diagnose", "health"], ["doctor"]),
        (["tuner", "pitch"], ["tune"]),
        (["heart", "heartbeat", "pulse"], ["beat"]),
        (["plot", "draw", "image", "spectrogram", "waveform"], ["picture"]),
        (["stream", "broadcast", "cast"], ["send"]),
        (["listen", "recv"], ["receive"]),
        (["measure", "bench", "test"], ["jitter"]),
        (["live", "effect", "fx", "thru", "through", "run", "start"], ["monitor"]),
        (["web", "page", "http"], ["serve"]),
        (["delay", "iodelay", "roundtrip"], ["latency"]),
        (["playback", "player"], ["play"]),
        (["transcode", "resample", "sox"], ["convert"]),
        (["compareruns", "delta", "difference", "regression"], ["diff"]),
        (["trend", "trends", "log", "past"], ["history"]),
        (["probe", "show", "metadata", "soxi"], ["info"]),
        (["presets", "settings", "config", "profile"], ["preset"]),
    ]
}
