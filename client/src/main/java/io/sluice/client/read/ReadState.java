package io.sluice.client.read;

import io.sluice.client.file.OpenRunFiles;
import io.sluice.client.read.MissingBlocks.Reason;
import io.sluice.proto.ShuffleId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * What one read knows, shared by those who carry it on: servers, what is missing, what was counted.
 * Owned by the task thread, but for the mailbox.
 */
final class ReadState {
  private static final int MAX_NAMED_MISSING = 1000;

  final ShuffleId shuffle;
  final ShuffleReadRequest request;
  final ReadConfig config;
  final LongSupplier nanoTime;
  final OpenRunFiles files;
  final List<ReadLane> lanes = new ArrayList<>();
  final Mailbox<ReadEvent> mailbox = new Mailbox<>(ReadEvent::dispose);
  private final List<MissingBlocks> missing = new ArrayList<>();

  /** Partitions that are not whole yet. */
  int partitionsLeft;

  /** Slices that are on their way, here, or being taken apart. */
  int slicesHeld;

  /** Whose turn it is. */
  int firstLane;

  long bytes;
  long opens;
  long fetches;
  long retries;
  long fileBytes;
  long fileFailures;
  long waitNanos;

  ReadState(
      ShuffleReadRequest request, ReadConfig config, OpenRunFiles files, LongSupplier nanoTime) {
    this.files = files;
    this.request = request;
    this.shuffle = request.assignment().shuffle();
    this.config = config;
    this.nanoTime = nanoTime;
  }

  /** Asks the next replica for a partition, or notes that it cannot become whole. */
  void visitNext(PartitionProgress progress) {
    int replica = progress.nextReplica();
    if (replica < 0) {
      missing.addAll(progress.missing(MAX_NAMED_MISSING - missing.size()));
      return;
    }
    ReadLane lane = lanes.get(request.assignment().serverIndex(progress.range(), replica));
    lane.open(new PartitionVisit(progress, lane));
  }

  void throwIfMissing() throws BlocksMissingException {
    if (!missing.isEmpty()) {
      throw new BlocksMissingException(shuffle.getShuffle(), missing);
    }
  }

  void endVisit(PartitionVisit visit) {
    if (visit.isEnded()) {
      return;
    }
    visit.end();
    visit.lane().endVisit(visit);
    PartitionProgress progress = visit.progress();
    if (progress.isWhole()) {
      partitionsLeft--;
    } else {
      progress.failed(visit.lane().name(), visit.shortfallReason(), visit.shortfallDetail());
      visitNext(progress);
    }
  }

  /** Notes attempts of a partition that are not to be had, as far as there is room. */
  void missing(MissingBlocks blocks) {
    if (missing.size() < MAX_NAMED_MISSING) {
      missing.add(blocks);
    }
  }

  void absent(PartitionVisit visit, Reason reason, String detail) {
    visit.shortfall(reason, detail);
    endVisit(visit);
  }

  void dropSlices(ReadLane lane) {
    for (Slice slice : lane.slices()) {
      slice.release();
      slicesHeld--;
    }
    lane.slices().clear();
  }
}
