package io.sluice.client.read;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.client.ConnectionPool;
import io.sluice.client.compress.BlockCodecs;
import io.sluice.client.compress.PayloadTransform;
import io.sluice.client.file.OpenRunFiles;
import io.sluice.client.file.RunFiles;
import io.sluice.client.memory.DirectMemory;
import io.sluice.client.push.ServerHealth;
import io.sluice.common.frame.FrameLimits;
import java.io.IOException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

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

  private final ReadState state;
  private final LanePump pump;
  private final SliceTaker taker;
  private final LocalTaker localTaker;
  private final ContentAssembler assembler;
  private final Consumer<ReadCounters> onClose;
  private final int poolLane;
  private boolean started;
  private boolean closed;
  private IOException failure;

  /**
   * @param transform null for none
   * @param files ways to read run files without their servers; belong to the caller
   * @param health shared by all reads and pushes of the process
   * @param memory of the process, counts slices
   * @param onClose told once, with the final counters
   */
  public PooledShuffleRead(
      ShuffleReadRequest request,
      PayloadTransform transform,
      ReadConfig config,
      ConnectionPool pool,
      RunFiles files,
      ServerHealth health,
      ByteBufAllocator allocator,
      DirectMemory memory,
      LongSupplier nanoTime,
      Consumer<ReadCounters> onClose) {
    this.onClose = onClose;
    this.poolLane = pool.nextLane();
    this.state =
        new ReadState(
            request,
            config,
            new OpenRunFiles(files, allocator),
            health,
            memory,
            poolLane,
            nanoTime);
    this.pump = new LanePump(state, pool, poolLane);
    this.assembler =
        new ContentAssembler(
            transform,
            BlockCodecs.decompressor(MAX_BLOCK_BYTES),
            config.maxContentBytes(),
            request.anyOrder());
    this.taker = new SliceTaker(state, assembler, allocator);
    this.localTaker = new LocalTaker(state, request.localOutput(), assembler, allocator);
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
            pump.pumpAll();
          }
        }
        if (block == null && localTaker.isBusy()) {
          block = localTaker.next();
        }
        if (block != null) {
          return block;
        }
        if (!taker.isBusy() && !localTaker.isBusy() && !nextSlice()) {
          if (state.partitionsLeft == 0) {
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
    if (pump.handleEvents()) {
      state.throwIfMissing();
      pump.pumpAll();
    }
    return taker.begin();
  }

  private void await() throws IOException {
    state.throwIfMissing();
    state.local.request();
    if (!state.awaitsServers() && state.local.hasOutstanding()) {
      localTaker.begin();
    } else {
      pump.await();
    }
  }

  private void start() throws IOException {
    started = true;
    state.addLanes(state.request.assignment());
    for (ExpectedAttempts expected : state.request.expected()) {
      state.partitionsLeft++;
      state.visitNext(new PartitionProgress(expected, state.late.order(expected.partition())));
    }
    pump.pumpAll();
  }

  @Override
  public ReadCounters counters() {
    return new ReadCounters(
        state.bytes,
        assembler.blocks(),
        assembler.contentBytes(),
        assembler.records(),
        assembler.skipped(),
        state.opens,
        state.fetches,
        state.retries,
        state.fileBytes,
        state.fileFailures,
        state.localBytes,
        state.localBlocks,
        state.localFailures,
        state.waitNanos,
        state.fetchNanos);
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    state.mailbox.close();
    taker.release();
    localTaker.close();
    for (ReadLane lane : state.lanes) {
      lane.takeVisits().forEach(PartitionVisit::end);
      state.dropSlices(lane);
    }
    state.files.close();
    assembler.close();
    onClose.accept(counters());
  }
}
