package io.sluice.server.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.RunFile;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.log.BlockBatch;
import io.sluice.server.log.BlockBytes;
import io.sluice.server.log.LogPiece;
import io.sluice.server.log.LogRange;
import io.sluice.server.log.LoggedRun;
import io.sluice.server.log.OpenSnapshot;
import io.sluice.server.log.PieceBytes;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.SpillBatch;
import io.sluice.server.observe.ServerCounters;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

/**
 * A shuffle whose blocks are written to disks of the test's choice, and checked byte for byte.
 * Attempt n has one block, in partition {@code n % 3}. Not thread-safe.
 */
public final class SpilledShuffle {
  private static final int PARTITIONS = 3;

  private final ShuffleStore store;
  private final ShuffleKey key;
  private final SpillWriter writer;
  private final int blockBytes;
  private int count;

  public SpilledShuffle(ShuffleStore store, RunFiles files, ShuffleKey key, int blockBytes) {
    this.store = store;
    this.key = key;
    this.writer = new SpillWriter(1, files, new Random(key.hashCode()), new ServerCounters());
    this.blockBytes = blockBytes;
  }

  public ShuffleLog log() {
    return store.find(key);
  }

  /** Blocks so far. */
  public int count() {
    return count;
  }

  /** Appends some blocks, to memory. */
  public void append(int blocks) throws SluiceException {
    for (int i = 0; i < blocks; i++) {
      ByteBuf body = Unpooled.wrappedBuffer(block(count));
      BlockBatch batch = new BlockBatch(1);
      batch.add(BlockHeader.read(body, 0, body.capacity()));
      store.findOrCreate(key).append(body, body.capacity(), batch);
      count++;
    }
  }

  /** Spills all blocks in memory to a disk as one run; null if the write failed. */
  public RunFile spill(Disk disk) {
    SpillBatch batch = log().takeForSpill(1 << 30);
    if (!writer.write(batch, disk)) {
      return null;
    }
    List<LoggedRun> runs = log().runs();
    return (RunFile) runs.get(runs.size() - 1).run();
  }

  /** Appends some blocks and writes them to a disk. */
  public RunFile spill(Disk disk, int blocks) throws SluiceException {
    append(blocks);
    return spill(disk);
  }

  /** Reads every block and compares. */
  public void checkEveryBlock() throws SluiceException, IOException {
    for (int number = 0; number < count; number++) {
      checkBlock(number);
    }
  }

  /** Reads one block and compares. */
  public void checkBlock(int number) throws SluiceException, IOException {
    assertThat(PieceBytes.read(read(number))).isEqualTo(Unpooled.wrappedBuffer(block(number)));
  }

  /** Finds a block, to be released by the caller. */
  public List<LogPiece> read(int number) throws SluiceException {
    long offset = (long) (number / PARTITIONS) * blockLength();
    return log().read(List.of(new LogRange(number % PARTITIONS, offset, blockLength())));
  }

  /** Attempts that the log calls complete in a partition. */
  public Roaring64NavigableMap complete(int partition) {
    OpenSnapshot snapshot = log().snapshot(new int[] {partition}, false);
    return snapshot.attemptsOf(snapshot.partitions().get(0).completeSet());
  }

  private int blockLength() {
    return BlockHeader.LENGTH + blockBytes;
  }

  private byte[] block(int number) {
    return BlockBytes.block(
        number,
        number,
        number % PARTITIONS,
        0,
        true,
        BlockBytes.payload(new Random(number), blockBytes));
  }
}
