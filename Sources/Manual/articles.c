// The manual, compiled into the program: a C target, because clang embeds a file in no time, and Swift takes 12 s for
// literals of the same bytes.
#include "manual.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

// In the order of the overview. A new article is named here and in the catalogue's Manual.md.
static const struct manual_article articles[] = {
    {"view", (const char[]) {
#embed "Manual.docc/LiveView.md" suffix(, 0)
    }},
    {"shapes", (const char[]) {
#embed "Manual.docc/Shaping.md" suffix(, 0)
    }},
    {"plugins", (const char[]) {
#embed "Manual.docc/Plugins.md" suffix(, 0)
    }},
    {"reconnect", (const char[]) {
#embed "Manual.docc/Reconnect.md" suffix(, 0)
    }},
    {"osc", (const char[]) {
#embed "Manual.docc/ControlByOSC.md" suffix(, 0)
    }},
    {"sessions", (const char[]) {
#embed "Manual.docc/Sessions.md" suffix(, 0)
    }},
    {"settings", (const char[]) {
#embed "Manual.docc/Settings.md" suffix(, 0)
    }},
    {"stage", (const char[]) {
#embed "Manual.docc/Stage.md" suffix(, 0)
    }},
    {"midi", (const char[]) {
#embed "Manual.docc/ControlByMIDI.md" suffix(, 0)
    }},
    {"measuring", (const char[]) {
#embed "Manual.docc/Measuring.md" suffix(, 0)
    }},
    {"comparing", (const char[]) {
#embed "Manual.docc/CompareRuns.md" suffix(, 0)
    }},
    {"ci", (const char[]) {
#embed "Manual.docc/ContinuousIntegration.md" suffix(, 0)
    }},
    {"recordings", (const char[]) {
#embed "Manual.docc/Recordings.md" suffix(, 0)
    }},
    {"files", (const char[]) {
#embed "Manual.docc/SoundFiles.md" suffix(, 0)
    }},
    {"transport", (const char[]) {
#embed "Manual.docc/Transport.md" suffix(, 0)
    }},
    {"sending", (const char[]) {
#embed "Manual.docc/Sending.md" suffix(, 0)
    }},
    {"receiving", (const char[]) {
#embed "Manual.docc/Receiving.md" suffix(, 0)
    }},
    {"page", (const char[]) {
#embed "Manual.docc/WebPage.md" suffix(, 0)
    }},
    {"voice", (const char[]) {
#embed "Manual.docc/Voice.md" suffix(, 0)
    }},
    {"heartbeats", (const char[]) {
#embed "Manual.docc/Heartbeats.md" suffix(, 0)
    }},
    {"pitch", (const char[]) {
#embed "Manual.docc/Pitch.md" suffix(, 0)
    }},
    {"pipewire", (const char[]) {
#embed "Manual.docc/PipeWire.md" suffix(, 0)
    }},
    {"netjack", (const char[]) {
#embed "Manual.docc/NetJack.md" suffix(, 0)
    }},
    {"troubleshooting", (const char[]) {
#embed "Manual.docc/Troubleshooting.md" suffix(, 0)
    }},
    {"library", (const char[]) {
#embed "Manual.docc/Library.md" suffix(, 0)
    }},
    {"processors", (const char[]) {
#embed "Manual.docc/Processors.md" suffix(, 0)
    }},
    {"plugin-check", (const char[]) {
#embed "Manual.docc/PluginCheck.md" suffix(, 0)
    }},
    {"design", (const char[]) {
#embed "Manual.docc/Design.md" suffix(, 0)
    }},
    {"changing", (const char[]) {
#embed "Manual.docc/Changing.md" suffix(, 0)
    }},
    {"performance", (const char[]) {
#embed "Manual.docc/Performance.md" suffix(, 0)
    }},
    {"licences", (const char[]) {
#embed "Manual.docc/Licences.md" suffix(, 0)
    }},
};

const struct manual_article *manual_article(size_t place) {
    return place < sizeof articles / sizeof *articles ? &articles[place] : NULL;
}
