package io.sluice.server.shortcircuit;

import io.sluice.proto.RunFileRequest;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.StoredRun;
import io.sluice.server.read.FileReads;
import io.sluice.server.storage.ReadableRun;
import io.sluice.server.storage.StorageKind;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Finds and opens the run files that a client asks for by name. Thread-safe. */
final class RunFileHandout {
  private final long epoch;
  private final ShuffleStore store;
  private final FileReads reads;

  RunFileHandout(long epoch, ShuffleStore store, FileReads reads) {
    this.epoch = epoch;
    this.store = store;
    this.reads = reads;
  }

  /**
   * A run file in use; its holder releases it.
   *
   * @param run null with {@code channel}, where there is no such file
   */
  record Held(ReadableRun run, FileChannel channel) {
    void release() {
      if (run != null) {
        run.release();
      }
    }
  }

  /**
   * Opens files. Never fails: what cannot be had is an empty {@link Held} in its place.
   *
   * @return owned by the caller, in the order of the names
   */
  CompletableFuture<List<Held>> open(RunFileRequest request) {
    List<CompletableFuture<Held>> opening = new ArrayList<>();
    for (String name : request.getNamesList()) {
      opening.add(open(request, name));
    }
    return CompletableFuture.allOf(opening.toArray(CompletableFuture[]::new))
        .thenApply(unused -> opening.stream().map(CompletableFuture::join).toList());
  }

  private CompletableFuture<Held> open(RunFileRequest request, String name) {
    ReadableRun run = request.getEpoch() == epoch ? find(request, name) : null;
    if (run == null) {
      return CompletableFuture.completedFuture(new Held(null, null));
    }
    return reads
        .open(run)
        .handle(
            (channel, failure) -> {
              if (failure == null) {
                return new Held(run, channel);
              }
              // The client will fetch, and then learn what is wrong.
              run.release();
              return new Held(null, null);
            });
  }

  private ReadableRun find(RunFileRequest request, String name) {
    ShuffleLog log =
        store.find(
            new ShuffleKey(
                request.getShuffle().getApplication(), request.getShuffle().getShuffle()));
    if (log == null) {
      return null;
    }
    List<StoredRun> found =
        log.retainRuns(
            run ->
                run instanceof ReadableRun readable
                    && readable.name().equals(name)
                    && readable.disk().kind() != StorageKind.REMOTE);
    // Names are random: at most one.
    return found.isEmpty() ? null : (ReadableRun) found.get(0);
  }
}
