package io.sluice.server;

import io.sluice.server.background.MergeConfig;
import io.sluice.server.background.ScrubConfig;
import io.sluice.server.background.SpillConfig;
import io.sluice.server.disk.DiskConfig;
import io.sluice.server.disk.DurabilityConfig;
import io.sluice.server.remote.RemoteConfig;

/** The configuration of disks and of the background work on them. */
public record StorageConfig(
    DiskConfig disk,
    RemoteConfig remote,
    DurabilityConfig durability,
    SpillConfig spill,
    MergeConfig merge,
    ScrubConfig scrub) {}
