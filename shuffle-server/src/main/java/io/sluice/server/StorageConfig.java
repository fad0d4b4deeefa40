package io.sluice.server;

import io.sluice.server.background.MergeSettings;
import io.sluice.server.background.ScrubConfig;
import io.sluice.server.config.DiskConfig;
import io.sluice.server.config.DurabilityConfig;
import io.sluice.server.remote.RemoteConfig;

/** The configuration of disks and of the background work on them. */
public record StorageConfig(
    DiskConfig disk,
    RemoteConfig remote,
    DurabilityConfig durability,
    MergeSettings merge,
    ScrubConfig scrub) {}
