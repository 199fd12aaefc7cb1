/// Which connection of libwebsockets: its address, of which only `PageLibrary` makes more.
@safe struct PageHandle: Hashable {
    private let bits: UInt

    init(_ pointer: OpaquePointer) { bits = UInt(bitPattern: pointer) }

    /// Valid until the library has said that the connection is gone.
    @unsafe var pointer: OpaquePointer { unsafe OpaquePointer(bitPattern: bits).unsafelyUnwrapped }
}
