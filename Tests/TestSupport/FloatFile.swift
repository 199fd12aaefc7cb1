import Foundation

/// Files of 32-bit floats (WAVE), as lv2apply reads and writes them.
public enum FloatFile {
    public static func write(_ channels: [[Float]], to path: String, sampleRate: Int = 48_000) throws {
        var samples = Data()
        for frame in channels[0].indices {
            for channel in channels { samples.append(bytes(channel[frame].bitPattern, 4)) }
        }
        let width = 4 * channels.count
        var file = Data("RIFF".utf8) + bytes(UInt32(36 + samples.count), 4) + Data("WAVEfmt ".utf8) + bytes(16, 4)
        file += bytes(3, 2) + bytes(UInt32(channels.count), 2) + bytes(UInt32(sampleRate), 4)
        file += bytes(UInt32(sampleRate * width), 4) + bytes(UInt32(width), 2) + bytes(32, 2)
        file += Data("data".utf8) + bytes(UInt32(samples.count), 4) + samples
        try file.write(to: URL(fileURLWithPath: path))
    }

    public static func read(_ path: String) throws -> [[Float]] {
        let file = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
        func number(_ place: Int, _ count: Int) -> Int {
            (0..<count).reduce(0) { $0 | Int(file[place + $1]) << (8 * $1) }
        }
        var (place, channels) = (12, 1)
        while place + 8 <= file.count {
            let name = String(decoding: file[place..<place + 4], as: UTF8.self)
            let size = number(place + 4, 4)
            if name == "fmt " { channels = number(place + 10, 2) }
            if name == "data" {
                var signal = [[Float]](repeating: [], count: channels)
                for index in 0..<min(size, file.count - place - 8) / 4 {
                    signal[index % channels].append(Float(bitPattern: UInt32(number(place + 8 + 4 * index, 4))))
                }
                return signal
            }
            place += 8 + size + size % 2
        }
        throw DidNotHappen(description: "\(path) has no samples")
    }

    private static func bytes(_ number: UInt32, _ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
    }
}
