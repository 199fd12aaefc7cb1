import AudioDSP
import Foundation

/// A kernel in C: samples to work on in place, other samples of the same length, the length in frames, and the address
/// of a `TwinRamp`.
typealias Twin = @convention(c) (UnsafeMutablePointer<Float>, UnsafePointer<Float>, Int, UnsafeRawPointer) -> Float

/// The gain or mix of a twin: where it starts, and how far it goes in a frame.
struct TwinRamp {
    var start: Float
    var step: Float
}

/// The kernels in C, in a library that `Tools/bench` compiles: as its own, because a package that others depend on
/// may not choose the level of optimisation.
struct Twins {
    private let library: UnsafeMutableRawPointer

    init(at folder: URL) throws {
        guard let library = dlopen(folder.appendingPathComponent("kernels.so").path, RTLD_NOW) else {
            throw Breakdown(dlerror().map { String(cString: $0) } ?? "the library of twins cannot be opened")
        }
        self.library = library
    }

    func function(_ name: String) throws -> Twin { unsafeBitCast(try symbol(name), to: Twin.self) }

    /// A row of nodes in C.
    ///
    /// - Parameters:
    ///   - mixes: adds the input to a sum; else shapes the sum in place.
    ///   - gain: of each node.
    func plan(mixes: Bool, nodes: Int, gain: Float) throws -> PlanTwin {
        let make = unsafeBitCast(try symbol("twin_plan_make"), to: PlanTwin.Make.self)
        let render = unsafeBitCast(try symbol("twin_plan_render"), to: PlanTwin.Render.self)
        guard let plan = make(mixes ? 1 : 0, nodes, gain) else { throw Breakdown("the plan's twin has no memory") }
        return PlanTwin(plan: plan, render: render)
    }

    /// An equaliser of two channels in C.
    ///
    /// - Parameter isPlain: one stage after the other, channel by channel.
    func equaliser(_ biquads: [Biquad], isPlain: Bool) throws -> EqualiserTwin {
        let make = unsafeBitCast(try symbol("twin_equaliser_make"), to: EqualiserTwin.Make.self)
        let name = isPlain ? "twin_equaliser_render_plainly" : "twin_equaliser_render"
        let render = unsafeBitCast(try symbol(name), to: EqualiserTwin.Render.self)
        let equaliser = biquads.withUnsafeBytes { bytes in
            bytes.baseAddress.flatMap { make($0, biquads.count) }
        }
        guard let equaliser else { throw Breakdown("the equaliser's twin has no memory") }
        return EqualiserTwin(equaliser: equaliser, render: render)
    }

    /// How much of our own heap is in use, in bytes.
    func heapBytes() throws -> Int {
        unsafeBitCast(try symbol("heap_bytes"), to: (@convention(c) () -> Int).self)()
    }

    func symbol(_ name: String) throws -> UnsafeMutableRawPointer {
        guard let symbol = dlsym(library, name) else { throw Breakdown("there is no twin named \(name)") }
        return symbol
    }
}

/// A row of nodes in C, which stays to the end of the program.
struct PlanTwin {
    typealias Make = @convention(c) (Int32, Int, Float) -> UnsafeMutableRawPointer?
    typealias Render = @convention(c) (UnsafeMutableRawPointer, UnsafePointer<Float>, Int) -> Void

    let plan: UnsafeMutableRawPointer
    let render: Render
}

/// An equaliser in C, which stays to the end of the program.
struct EqualiserTwin {
    /// The coefficients of each stage as five doubles.
    typealias Make = @convention(c) (UnsafeRawPointer, Int) -> UnsafeMutableRawPointer?
    typealias Render =
        @convention(c) (UnsafeMutableRawPointer, UnsafePointer<Float>, UnsafePointer<Float>, Int) -> Void

    let equaliser: UnsafeMutableRawPointer
    let render: Render
}

/// Why a section could not be completed.
struct Breakdown: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
