package io.sluice.server;

import io.sluice.server.config.DiskConfig;
import io.sluice.server.config.DurabilityConfig;
import io.sluice.server.merge.MergeSettings;
import io.sluice.server.remote.RemoteConfig;
import io.sluice.server.scrub.ScrubConfig;

/** The configuration of disks and of the background work on them. */
public record StorageConfig(
    DiskConfig disk,
    RemoteConfig remote,
    DurabilityConfig durability,
    MergeSettings merge,
    ScrubConfig scrub) {}
