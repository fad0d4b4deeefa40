package io.sluice.server.service;

import io.sluice.proto.LocatedStretch;
import io.sluice.proto.PartitionState;
import io.sluice.proto.RunFileKind;
import io.sluice.proto.RunFileLocation;
import io.sluice.server.disk.ReadableRun;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.log.LocatedExtent;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.StoredRun;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;

/** Tells clients where bytes lie in files that they may read themselves. For one reply. */
final class LocatedStretches {
  /** About 1 MiB of a reply, whose head may have 16 MiB; what is left out is fetched. */
  private static final int MAX_STRETCHES = 40_000;

  /** Of a file that no client can read. */
  private static final int NOT_TOLD = -1;

  private final ShuffleLog log;
  private final boolean withLocal;
  private final boolean withRemote;
  private final List<RunFileLocation> locations = new ArrayList<>();
  private final IdentityHashMap<StoredRun, Integer> files = new IdentityHashMap<>();
  private int stretches;

  /**
   * @param withLocal whether descriptors of local files can be had, and are wanted
   * @param withRemote whether there may be files that need no server, and they are wanted
   */
  LocatedStretches(ShuffleLog log, boolean withLocal, boolean withRemote) {
    this.log = log;
    this.withLocal = withLocal;
    this.withRemote = withRemote;
  }

  /** Files that were named so far. */
  List<RunFileLocation> files() {
    return locations;
  }

  /** Adds what a partition has in files, up to the length that the state says. */
  void addTo(PartitionState.Builder state) {
    if (!withLocal && !withRemote) {
      return;
    }
    for (LocatedExtent extent : log.located(state.getPartition())) {
      long length = Math.min(extent.length(), state.getLength() - extent.offset());
      if (stretches >= MAX_STRETCHES || length <= 0) {
        return;
      }
      if (extent.run() instanceof ReadableRun run) {
        int file = files.computeIfAbsent(run, this::add);
        if (file != NOT_TOLD) {
          stretches++;
          state.addLocated(
              LocatedStretch.newBuilder()
                  .setOffset(extent.offset())
                  .setLength(length)
                  .setFile(file)
                  .setFileOffset(extent.fileOffset()));
        }
      }
    }
  }

  private int add(StoredRun stored) {
    ReadableRun run = (ReadableRun) stored;
    RunFileLocation.Builder location = RunFileLocation.newBuilder();
    if (run.disk().kind() == StorageKind.REMOTE) {
      Optional<String> path =
          withRemote ? run.disk().storage().location(run.name()) : Optional.empty();
      if (path.isEmpty()) {
        return NOT_TOLD;
      }
      location.setKind(RunFileKind.REMOTE_FILE).setName(path.get());
    } else if (withLocal) {
      location.setKind(RunFileKind.LOCAL_FILE).setName(run.name());
    } else {
      return NOT_TOLD;
    }
    locations.add(location.build());
    return locations.size() - 1;
  }
}
