import AudioFigures

/// A step towards what should be: something to do, and the text to type or to write for it.
public struct Step: Codable, Sendable, Equatable {
    /// In words; `null` where the text says it all.
    public var advice: Nullable<String>
    /// A command or a line of a file, to the letter; `null` where there is none.
    public var text: Nullable<String>

    init(_ advice: String?, _ text: String?) {
        self.advice = Nullable(advice)
        self.text = Nullable(text)
    }

    static func command(_ text: String) -> Step { Step(nil, text) }
    static func advice(_ advice: String) -> Step { Step(advice, nil) }
}

extension Step {
    static let logInAgain = advice("log out and in again")

    static func join(_ group: String, _ user: User?) -> Step {
        command("sudo usermod --append --groups \(group) \(user?.name ?? "$USER")")
    }

    /// Takes effect with the next start of the machine.
    static func kernelOption(_ option: String, isWanted: Bool = true) -> [Step] {
        [
            Step("\(isWanted ? "add to" : "remove from") GRUB_CMDLINE_LINUX_DEFAULT in /etc/default/grub", option),
            command("sudo update-grub"), advice("restart the machine"),
        ]
    }

    /// Takes effect at once, and again after a restart.
    static func kernelSetting(_ assignment: String) -> [Step] {
        [
            command("sudo sysctl \(assignment)"),
            Step("to keep it", "echo \(assignment) | sudo tee -a /etc/sysctl.d/audio.conf"),
        ]
    }
}
