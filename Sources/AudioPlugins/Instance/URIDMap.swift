import CLilv
import Glibc
import Synchronization

/// The numbers that plug-ins know URIs by: one table for all, which only grows.
///
/// A plug-in may ask in `run`: a known URI is found without an allocation. The lock is held for a look at the table.
enum URIDMap {
    private static let table = Mutex(Table())

    @safe private struct Table: ~Copyable {
        /// The number of a URI is its place here and 1. Never freed: plug-ins keep the addresses.
        var uris: [UnsafePointer<CChar>] = unsafe []
        /// By hash; 0 is free. At the most half of it is in use.
        var slots = [UInt32](repeating: 0, count: 4096)

        init() { unsafe uris.reserveCapacity(2048) }

        mutating func number(_ uri: UnsafePointer<CChar>) -> UInt32 {
            var slot = unsafe place(uri)
            if slots[slot] == 0 {
                guard let copy = unsafe strdup(uri) else { return 0 }
                if unsafe 2 * (uris.count + 1) > slots.count { grow() }
                unsafe uris.append(UnsafePointer(copy))
                slot = unsafe place(copy)
                slots[slot] = unsafe UInt32(uris.count)
            }
            return slots[slot]
        }

        private mutating func grow() {
            slots = [UInt32](repeating: 0, count: 2 * slots.count)
            for index in unsafe uris.indices { slots[unsafe place(uris[index])] = UInt32(index + 1) }
        }

        /// Where it is, or would be.
        private func place(_ uri: UnsafePointer<CChar>) -> Int {
            // FNV-1a.
            var hash: UInt32 = 2_166_136_261
            var place = unsafe uri
            while unsafe place.pointee != 0 {
                hash = (hash ^ UInt32(UInt8(bitPattern: unsafe place.pointee))) &* 16_777_619
                unsafe place += 1
            }
            var slot = Int(hash) & (slots.count - 1)
            while slots[slot] != 0, unsafe strcmp(uris[Int(slots[slot]) - 1], uri) != 0 {
                slot = (slot + 1) & (slots.count - 1)
            }
            return slot
        }

        func uri(_ number: UInt32) -> UnsafePointer<CChar>? {
            unsafe number >= 1 && number <= uris.count ? unsafe uris[Int(number) - 1] : nil
        }
    }

    static func number(_ uri: String) -> UInt32 { unsafe uri.withCString { unsafe number(at: UInt(bitPattern: $0)) } }

    static func uri(_ number: UInt32) -> String? { unsafe address(number).map { unsafe String(cString: $0) } }

    /// The URI at an address that stays for good.
    static func address(_ uri: String) -> UnsafePointer<CChar>? { unsafe address(number(uri)) }

    /// - Parameter address: of a URI. A number, because the lock's function takes no pointer.
    @unsafe private static func number(at address: UInt) -> UInt32 {
        table.withLock { table in
            guard let uri = unsafe UnsafePointer<CChar>(bitPattern: address) else { return 0 }
            return unsafe table.number(uri)
        }
    }

    private static func address(_ number: UInt32) -> UnsafePointer<CChar>? {
        // SAFETY: the addresses stay for good.
        let address = table.withLock { table in UInt(bitPattern: unsafe table.uri(number)) }
        return unsafe UnsafePointer(bitPattern: address)
    }

    static var map: LV2_URID_Map {
        unsafe LV2_URID_Map(handle: nil) { _, uri in unsafe URIDMap.number(at: UInt(bitPattern: uri)) }
    }

    static var unmap: LV2_URID_Unmap {
        unsafe LV2_URID_Unmap(handle: nil) { _, number in unsafe URIDMap.address(number) }
    }
}
