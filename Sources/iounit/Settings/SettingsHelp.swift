/// `iounit help settings`: where settings and presets are, and how they are written.
enum SettingsHelp {
    static let text = HelpText.paragraphs(
        """
        iounit help settings - options that hold wherever nothing else is said

        The settings are in iounit/config in the folder that XDG_CONFIG_HOME names, else in ~/.config/iounit/config. The file
        belongs to you; iounit writes only its presets, whole or not at all, readable for you alone.

          # Options have no dashes here; a flag stands alone.
          server = stage

          [monitor]
          channels = 2
          follow-routes
          input = headset
          input = capture

          [preset warm]
          command = monitor
          shape = tanh
          drive = 12

        Lines before the first section hold for every subcommand that has the option. A section [SUBCOMMAND] holds for that
        subcommand, and [preset NAME] for --preset NAME; it names its subcommand as command, and what the
        subcommand is given besides options as argument, one a line.
        What is on the command line wins over the preset, the preset over the section, the section over the first lines.
        Of an option that can be given several times, those of the one that wins count alone. What contradicts
        an option of the command line is left out: --dummy sets a server aside.
        An option that needs another, as period needs --dummy, waits for it.
        --no-FLAG takes back a flag, and --no-config leaves the settings out.

        A line is a comment where it begins with #. Blanks around a value do not count; quotes around it keep them.
        A line that is not understood, and a value that the subcommand refuses, is an error with file and line, and the exit code
        is 78. A token or password is written as file:PATH or env:NAME; the secret itself is refused.
        """
    ).joined(separator: "\n")
}
