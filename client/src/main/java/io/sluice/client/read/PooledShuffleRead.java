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
import java.util.function.Consumer;

/**
 * A read over pooled connections. Owned by the task thread.
 *
 * <p>Every partition is visited at one server, and at the next one that may have blocks of it if it
 * is not whole after that ({@link VisitOrder}); what no server had comes from local output. All
 * servers are opened at once; then each is asked for slices, large stretches of many partitions, a
 * few of them in flight over all servers. Slices of one server are taken apart in the order of
 * asking, because a block may begin in one and end in the next. A visit that meets a damaged block
 * asks again from there; if it stays damaged, the block is passed over, so that another place may
 * give it or the proof of completeness names it.
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
  private final SliceTaker taker;
  private final LocalTaker localTaker;
  private final BlockAssembler assembler;
  private final Consumer<ReadCounters> onClose;
  private boolean started;
  private boolean closed;
  private IOException failure;

  /**
   * @param transform null for none
   * @param config of the process
   * @param files opens run files without their servers; borrows
   * @param environment shared by all reads and pushes of the process
   * @param onClose receives the final counters, once
   */
  public PooledShuffleRead(
      ShuffleReadRequest request,
      PayloadTransform transform,
      ReadConfig config,
      DirectRunFiles files,
      TaskEnvironment environment,
      ByteBufAllocator allocator,
      Consumer<ReadCounters> onClose) {
    ShuffleId shuffle = request.assignment().shuffle();
    int poolLane = environment.pool().nextLane();
    this.onClose = onClose;
    this.files = new OpenRunFiles(files, allocator);
    this.loop = new TaskLoop<>(environment.time(), ReadEvent::dispose);
    this.local = new LocalPieces(request.localOutput());
    this.budget = new SliceBudget(config, request.memory(), environment.memory());
    LateServers late = new LateServers(request.assignment(), request.newest(), poolLane, loop::put);
    this.progress = new ReadProgress(request, servers, late, local);
    SliceFetcher.Parts parts =
        new SliceFetcher.Parts(
            servers,
            progress,
            budget,
            tally,
            new ServerFailures(
                shuffle, config.retry(), progress, budget, late, environment.health()));
    this.fetcher =
        new SliceFetcher(
            request,
            config,
            environment.pool(),
            poolLane,
            this.files,
            environment.health(),
            parts,
            loop);
    this.assembler =
        new BlockAssembler(
            transform,
            BlockCodecs.decompressor(MAX_BLOCK_BYTES),
            config.maxContentBytes(),
            request.anyOrder());
    this.taker = new SliceTaker(shuffle, config.retry().maxAttempts(), parts, assembler, allocator);
    this.localTaker =
        new LocalTaker(
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
      throw new IllegalStateException("read is closed");
    }
    if (failure != null) {
      throw failure;
    }
    try {
      if (!started) {
        start();
      }
      while (true) {
        ShuffleBlock block = assembler.nextReady();
        if (block == null && taker.isBusy()) {
          block = taker.next();
          if (!taker.isBusy()) {
            fetcher.request(loop.now());
          }
        }
        if (block == null && localTaker.isBusy()) {
          block = localTaker.next();
        }
        if (block != null) {
          return block;
        }
        if (!taker.isBusy() && !localTaker.isBusy() && !nextSlice()) {
          if (progress.partitionsLeft() == 0) {
            return null;
          }
          await();
        }
      }
    } catch (IOException e) {
      failure = e;
      throw e;
    }
  }

  private boolean nextSlice() throws IOException {
    loop.handleArrived(fetcher);
    return taker.begin();
  }

  private void await() throws IOException {
    progress.throwIfMissing();
    local.request();
    if (!servers.areBusy() && local.hasOutstanding()) {
      localTaker.begin();
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
    taker.release();
    localTaker.close();
    for (int i = 0; i < servers.count(); i++) {
      servers.get(i).takeVisits().forEach(PartitionVisit::end);
      budget.dropAll(servers.get(i));
    }
    files.close();
    assembler.close();
    onClose.accept(counters());
  }
}
