package io.sluice.client.read;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.file.OpenRunFiles;
import io.sluice.client.memory.DirectMemory;
import io.sluice.client.push.ServerHealth;
import io.sluice.client.read.MissingBlocks.Reason;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
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
  final ServerHealth health;
  final List<ReadLane> lanes = new ArrayList<>();
  final LateServers late;
  final Mailbox<ReadEvent> mailbox = new Mailbox<>(ReadEvent::dispose);
  private boolean waitBegun;
  private long waitEndNanos;
  private final List<MissingBlocks> missing = new ArrayList<>();

  /** What is wanted of local output. */
  final LocalPieces local;

  /** Partitions that are not whole yet. */
  int partitionsLeft;

  /** Slices that are on their way, here, or being taken apart. */
  int slicesHeld;

  private final DirectMemory processMemory;
  private long heldBytes;
  private long grantedBytes;

  /** Whether a server was waited for in vain: others get less patience where that may do. */
  boolean patienceSpent;

  /** Whose turn it is. */
  int firstLane;

  long bytes;
  long opens;
  long fetches;
  long retries;
  long fileBytes;
  long fileFailures;
  long localBytes;
  long localBlocks;
  long localFailures;
  long waitNanos;
  long fetchNanos;

  ReadState(
      ShuffleReadRequest request,
      ReadConfig config,
      OpenRunFiles files,
      ServerHealth health,
      DirectMemory processMemory,
      int poolLane,
      LongSupplier nanoTime) {
    this.processMemory = processMemory;
    this.files = files;
    this.health = health;
    this.request = request;
    this.local = new LocalPieces(request.localOutput());
    this.shuffle = request.assignment().shuffle();
    this.late = new LateServers(this, request.assignment(), request.newest(), poolLane);
    this.config = config;
    this.nanoTime = nanoTime;
  }

  /** Adds those servers of an assignment that are not there yet. */
  void addLanes(ShuffleAssignment assignment) {
    for (int i = 0; i < assignment.servers().size(); i++) {
      ServerId server = assignment.servers().get(i);
      boolean replaced = assignment.hasReplaced(server.getName());
      if (i == lanes.size()) {
        lanes.add(new ReadLane(server, replaced));
      } else if (replaced) {
        lanes.get(i).becomesReplaced();
      }
    }
  }

  /**
   * Asks the next server for a partition; after the last one those that the shuffle may have got
   * meanwhile, and then local output.
   */
  void visitNext(PartitionProgress progress) {
    int server = progress.nextServer();
    if (server < 0 && late.extend(progress)) {
      server = progress.nextServer();
    }
    if (server < 0 && late.mayHelp(progress)) {
      late.ask(progress);
      return;
    }
    if (server < 0) {
      local.want(progress, this::missing);
      return;
    }
    ReadLane lane = lanes.get(server);
    lane.open(new PartitionVisit(progress, lane));
  }

  /** Whether another place has copies of what a visit is for. */
  boolean hasCopies(PartitionVisit visit) {
    PartitionProgress progress = visit.progress();
    return progress.hasMoreCopies() || (request.isPushedLater() && progress.mayAllBeLocal(local));
  }

  /** Whether another place is still to be asked for what a visit is for, and might have it. */
  boolean mayBeElsewhere(PartitionVisit visit) {
    PartitionProgress progress = visit.progress();
    return progress.hasMoreServers() || progress.mayAllBeLocal(local);
  }

  /**
   * What is left of the read's wait for servers to get what is pushed to them, in milliseconds. It
   * begins when this is asked first.
   */
  int waitLeftMs() {
    if (request.maxWaitMs() == 0) {
      return 0;
    }
    long now = nanoTime.getAsLong();
    if (!waitBegun) {
      waitBegun = true;
      waitEndNanos = now + TimeUnit.MILLISECONDS.toNanos(request.maxWaitMs());
    }
    return (int) Math.max(0, TimeUnit.NANOSECONDS.toMillis(waitEndNanos - now));
  }

  /** Whether anything is still to come from a server. */
  boolean awaitsServers() {
    return lanes.stream().anyMatch(lane -> !lane.isIdle());
  }

  /** Local output has given all that it has of a partition. */
  void endLocally(PartitionProgress progress) {
    if (progress.isWhole()) {
      partitionsLeft--;
      return;
    }
    for (int place = 0; place < progress.expected().count(); place++) {
      if (!progress.received().isWhole(place)) {
        missing(progress.missing(place));
      }
    }
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

  /**
   * Whether one more slice may be fetched. The first one always may, so that a read continues
   * however little memory there is.
   */
  boolean mayHoldMore() {
    return slicesHeld == 0
        || (slicesHeld < config.slicesInFlight()
            && processMemory.hasRoom(config.sliceBytes())
            && grantedBytes >= heldBytes);
  }

  /** A slice is about to be fetched. */
  void hold(Slice slice) {
    slicesHeld++;
    heldBytes += slice.length();
    processMemory.add(slice.length());
    grantedBytes = request.memory().account(heldBytes);
  }

  /** Frees a slice that was held. */
  void drop(Slice slice) {
    slice.release();
    slicesHeld--;
    heldBytes -= slice.length();
    processMemory.add(-slice.length());
    grantedBytes = request.memory().account(heldBytes);
  }

  void dropSlices(ReadLane lane) {
    lane.slices().forEach(this::drop);
    lane.slices().clear();
  }
}
