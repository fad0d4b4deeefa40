package io.sluice.client.read;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.client.compress.BlockCodecs;
import io.sluice.client.compress.PayloadTransform;
import io.sluice.client.file.DirectRunFiles;
import io.sluice.client.file.OpenRunFiles;
import io.sluice.client.server.TaskEnvironment;
import io.sluice.client.server.TaskLoop;
import io.sluice.proto.ShuffleId;
import io.sluice.transport.protocol.FrameLimits;
import java.io.IOException;
import java.util.function.BiConsumer;

/**
 * A read over pooled connections. Owned by the task thread. It connects these parts, which all run
 * on the task thread:
 *
 * <pre>
 *  ReadProgress       which server each partition is visited at next
 *  SliceFetcher       state machine: connects, opens partitions, fetches slices
 *  ServerFailures     retry, reopen or leave a server after a failure
 *  SliceParser        slices to verified blocks
 *  LocalOutputParser  local output to verified blocks
 *  BlockAssembler     blocks to batches of records
 *  MapOrder           blocks that wait for their turn
 * </pre>
 *
 * <p>Every partition is visited at one server. If it is not whole afterwards, it is visited at the
 * next server that may have blocks of it ({@link VisitOrder}), and at last in local output. Open
 * requests go to all servers at once; then slices with bytes of many partitions are fetched, a few
 * of them in flight over all servers. Slices of one server are parsed in the order of the requests,
 * because a block may begin in one slice and end in the next. A damaged block is fetched again a
 * few times, then skipped: another replica may have it, otherwise it is reported as missing.
 */
public final class PooledShuffleRead implements ShuffleRead {
  private static final int MAX_BLOCK_BYTES = FrameLimits.DEFAULT.maxBodyLength();

  private final OpenRunFiles files;
  private final ReadServers servers = new ReadServers();
  private final ReadTally tally = new ReadTally();
  private final LocalPieces local;
  private final SliceBudget budget;
  private final ReadProgress progress;
  private final TaskLoop<ReadEvent> loop;
  private final SliceFetcher fetcher;
  private final SliceParser sliceParser;
  private final LocalOutputParser localParser;
  private final BlockAssembler assembler;
  private final BiConsumer<ReadCounters, Throwable> onClose;
  private boolean started;
  private boolean closed;
  private IOException failure;

  /**
   * @param transform transform of the map side; null for none
   * @param config settings of the process
   * @param files borrows: opens run files without their servers
   * @param environment shared by all reads and pushes of the process
   * @param onClose receives the final counters and the failure, or null, once
   */
  public PooledShuffleRead(
      ShuffleReadRequest request,
      PayloadTransform transform,
      ReadConfig config,
      DirectRunFiles files,
      TaskEnvironment environment,
      ByteBufAllocator allocator,
      BiConsumer<ReadCounters, Throwable> onClose) {
    ShuffleId shuffle = request.assignment().shuffle();
    int connectionSlot = environment.pool().nextSlot();
    this.onClose = onClose;
    this.files = new OpenRunFiles(files, allocator);
    this.loop = new TaskLoop<>(environment.time(), ReadEvent::dispose);
    this.local = new LocalPieces(request.localOutput());
    this.budget = new SliceBudget(config, request.memory(), environment.memory());
    AssignmentUpdates updates =
        new AssignmentUpdates(
            request.assignment(), request.newest(), connectionSlot, config.zone(), loop::put);
    boolean inMapOrder = request.mapOrder() && config.orderedBytes() > 0;
    this.progress = new ReadProgress(request, servers, updates, local, inMapOrder);
    SliceFetcher.Parts parts =
        new SliceFetcher.Parts(
            servers,
            progress,
            budget,
            tally,
            new ServerFailures(
                shuffle, config.retry(), progress, budget, updates, environment.health()));
    this.fetcher =
        new SliceFetcher(
            request,
            config,
            environment.pool(),
            connectionSlot,
            this.files,
            environment.health(),
            parts,
            loop);
    this.assembler =
        new BlockAssembler(
            transform,
            BlockCodecs.decompressor(MAX_BLOCK_BYTES),
            config.maxBatchBytes(),
            request.anyOrder(),
            inMapOrder
                ? new MapOrder(
                    request.expected(),
                    config.orderedBytes(),
                    new HeldBytes(allocator, budget, config.sliceBytes()))
                : null,
            progress::missing,
            progress::mismatch);
    this.sliceParser =
        new SliceParser(shuffle, config.retry().maxAttempts(), parts, assembler, allocator);
    this.localParser =
        new LocalOutputParser(
            shuffle,
            request.localOutput(),
            local,
            progress,
            tally,
            assembler,
            allocator,
            environment.time());
  }

  @Override
  public ShuffleBlock next() throws IOException {
    if (closed) {
      throw new IllegalStateException("the read is closed");
    }
    if (failure != null) {
      throw failure;
    }
    try {
      if (!started) {
        start();
      }
      while (true) {
        ShuffleBlock block = parseNext();
        if (block != null) {
          return block;
        }
        if (!sliceParser.isBusy() && !localParser.isBusy() && !nextSlice()) {
          if (progress.partitionsLeft() == 0) {
            return nextReady();
          }
          await();
        }
      }
    } catch (IOException e) {
      failure = e;
      throw e;
    }
  }

  private ShuffleBlock parseNext() throws IOException {
    ShuffleBlock block = nextReady();
    if (block == null && sliceParser.isBusy()) {
      block = sliceParser.next();
      if (!sliceParser.isBusy()) {
        fetcher.request(loop.now());
      }
    }
    if (block == null && localParser.isBusy()) {
      block = localParser.next();
    }
    return block;
  }

  /** Returns the next batch that has been parsed before, or null. */
  private ShuffleBlock nextReady() throws IOException {
    ShuffleBlock block = assembler.nextReady();
    progress.throwIfMissing();
    if (assembler.takeFreed()) {
      fetcher.request(loop.now());
    }
    return block;
  }

  private boolean nextSlice() throws IOException {
    loop.handleArrived(fetcher);
    return sliceParser.nextSlice();
  }

  private void await() throws IOException {
    progress.throwIfMissing();
    local.request();
    if (!servers.areBusy() && local.hasOutstanding()) {
      localParser.nextAnswer();
    } else {
      loop.await(fetcher);
    }
  }

  private void start() throws IOException {
    started = true;
    progress.start();
    fetcher.request(loop.now());
  }

  @Override
  public ReadCounters counters() {
    return tally.counters(assembler, loop.waitedNanos());
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    loop.close();
    sliceParser.release();
    localParser.close();
    for (int i = 0; i < servers.count(); i++) {
      servers.get(i).takeVisits().forEach(PartitionVisit::end);
      budget.dropAll(servers.get(i));
    }
    files.close();
    assembler.close();
    onClose.accept(counters(), failure);
  }
}
