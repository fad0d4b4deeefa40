package io.sluice.benchmark.merge;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockFormatException;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.run.RunExtent;
import io.sluice.common.run.RunReader;
import io.sluice.server.background.MergeConfig;
import io.sluice.server.background.MergeCounters;
import io.sluice.server.background.MergeOutcome;
import io.sluice.server.background.MergePolicy;
import io.sluice.server.background.MergeWriter;
import io.sluice.server.background.Merger;
import io.sluice.server.background.SpillWriter;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskLimits;
import io.sluice.server.disk.Disks;
import io.sluice.server.disk.RunFile;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.Storage;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.log.BlockBatch;
import io.sluice.server.log.LogPiece;
import io.sluice.server.log.LogRange;
import io.sluice.server.log.LoggedRun;
import io.sluice.server.log.OpenSnapshot;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.SpillBatch;
import io.sluice.server.log.StoreConfig;
import io.sluice.server.observe.ServerCounters;
import io.sluice.server.read.ExtentRest;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Writes, merges and reads one shuffle on one disk with the server's classes, but without its
 * threads and network. Not thread-safe.
 */
final class MergeShuffle implements AutoCloseable {
  private static final ShuffleKey KEY = new ShuffleKey("bench", 0);
  private static final int IDLE_OPEN_RUNS = 256;

  private final MergeLayout layout;
  private final Disks disks;
  private final Disk disk;
  private final RunFiles files = new RunFiles(IDLE_OPEN_RUNS);
  private final ShuffleStore store = new ShuffleStore(StoreConfig.DEFAULT);
  private final ShuffleLog log;
  private final MergeCounters counters = new MergeCounters();

  /**
   * @param storage takes
   */
  MergeShuffle(MergeLayout layout, Storage storage) throws SluiceException {
    this.layout = layout;
    this.disk = new Disk(storage, new TransientCatalog(), DiskLimits.DEFAULT, System::nanoTime);
    this.disks = new Disks(List.of(disk));
    this.log = store.findOrCreate(KEY);
  }

  MergeCounters counters() {
    return counters;
  }

  int runCount() {
    return log.runs().size();
  }

  /** Pushes the blocks of all map tasks and spills {@code mapsPerRun} of them to each run. */
  void write(int mapsPerRun, Runnable progress) throws IOException {
    SpillWriter writer =
        new SpillWriter(1, files, new SplittableRandom(layout.seed()), new ServerCounters());
    for (int map = 0; map < layout.maps(); map++) {
      ByteBuf frame = layout.frame(map);
      BlockBatch batch = new BlockBatch(layout.reduces());
      try {
        for (int at = 0; at < frame.writerIndex(); ) {
          BlockHeader block = BlockHeader.read(frame, at, frame.writerIndex());
          batch.add(block);
          at += block.blockLength();
        }
      } catch (BlockFormatException e) {
        throw new IllegalStateException("invalid block in a generated frame", e);
      }
      log.append(frame, frame.writerIndex(), batch);
      if ((map + 1) % mapsPerRun == 0 || map + 1 == layout.maps()) {
        SpillBatch spill = log.takeForSpill(Long.MAX_VALUE);
        if (!writer.write(spill, disk)) {
          throw new IOException("cannot write a run to disk " + disk.name());
        }
        progress.run();
      }
    }
  }

  /** Restores the runs of the storage, as a server does at start. */
  void restore() throws IOException {
    List<RunRecord> records = new ArrayList<>();
    for (Storage.Entry entry : disk.storage().list()) {
      try (RunReader run = open(entry.file())) {
        records.add(
            new RunRecord(
                run.header().runId(), KEY, run.header().order(), entry.length(), run.replaced()));
      }
    }
    records.sort(Comparator.comparing(RunRecord::order));
    for (RunRecord record : records) {
      disk.catalog().add(record);
      RunFile file = files.add(disk, record);
      log.restoreRun(file, record.order());
      try (RunReader run = open(RunFiles.fileName(record.id()))) {
        for (RunExtent extent : run.extents()) {
          log.restoreExtent(file, extent, run.blocks(extent));
        }
      }
    }
  }

  private RunReader open(String file) throws IOException {
    return RunReader.open(disk.storage().open(file), file);
  }

  /**
   * Merges until the policy selects no more runs, or until a share of the runs is merged.
   *
   * @param share share of the runs to merge; 1: all
   */
  void merge(MergePolicy policy, long memoryBytes, double share, Runnable progress)
      throws IOException {
    long targetRuns = (long) Math.ceil(share * runCount());
    try (Merger merger =
        new Merger(
            store,
            disks,
            new MergeConfig(Map.of(StorageKind.HDD, policy), memoryBytes, 4L << 30),
            new MergeWriter(
                files, new SplittableRandom(layout.seed() + 1), counters, (run, problem) -> {}),
            any -> false,
            counters,
            System::nanoTime)) {
      Optional<MergeOutcome> outcome = Optional.of(MergeOutcome.MERGED);
      while (outcome.isPresent() && counters.mergedRuns() < targetRuns) {
        outcome = merger.mergeNext();
        if (outcome.isPresent() && outcome.get() != MergeOutcome.MERGED) {
          throw new IOException("merge failed: " + outcome.get());
        }
        files.deletePending();
        progress.run();
      }
    }
  }

  /** Number of extents on disk, which is the number of requests to read whole partitions. */
  long extents() {
    return log.runs().stream().mapToLong(LoggedRun::extents).sum();
  }

  /** Total bytes of all blocks. */
  long bytes() {
    return log.storedBytes();
  }

  /**
   * Reads all partitions sequentially in slices, as a server does: with one positioned read for
   * each part of a slice, together with a short rest of its extent. Verifies that each partition
   * has exactly one valid block of each map task.
   */
  ReadRequests read(int sliceBytes) throws IOException {
    ReadRequests requests = new ReadRequests();
    int[] all = new int[layout.reduces()];
    for (int i = 0; i < all.length; i++) {
      all[i] = i;
    }
    OpenSnapshot snapshot = log.snapshot(all, false);
    ByteBuffer partition = ByteBuffer.allocateDirect(longest(snapshot));
    for (int reduce = 0; reduce < layout.reduces(); reduce++) {
      long length = snapshot.partitions().get(reduce).length();
      partition.clear().limit((int) length);
      requests.beginPartition();
      for (long offset = 0; offset < length; offset += sliceBytes) {
        long slice = Math.min(sliceBytes, length - offset);
        readSlice(
            log.read(List.of(new LogRange(reduce, offset, slice))), offset, partition, requests);
      }
      verify(reduce, Unpooled.wrappedBuffer(partition.flip()));
    }
    return requests;
  }

  /**
   * @param pieces the method releases them
   * @param offset offset of the first piece in the partition
   * @param partition bytes of the partition that have been read
   */
  private static void readSlice(
      List<LogPiece> pieces, long offset, ByteBuffer partition, ReadRequests requests)
      throws IOException {
    long end = offset;
    for (int i = 0; i < pieces.size(); i++) {
      LogPiece.InFile piece = (LogPiece.InFile) pieces.get(i);
      boolean isLast = i + 1 == pieces.size();
      end += piece.length();
      if (end > partition.position()) {
        int length = piece.length() + (isLast ? ExtentRest.bytes(StorageKind.HDD, piece) : 0);
        readFully(piece.run().channel(), piece.position(), length, partition);
        requests.add(piece.run(), piece.position(), length, isLast);
      }
      piece.release();
    }
  }

  private static int longest(OpenSnapshot snapshot) {
    long longest = 0;
    for (OpenSnapshot.Partition partition : snapshot.partitions()) {
      longest = Math.max(longest, partition.length());
    }
    return Math.toIntExact(longest);
  }

  private static void readFully(FileChannel channel, long position, int length, ByteBuffer target)
      throws IOException {
    int limit = target.limit();
    int start = target.position();
    target.limit(start + length);
    while (target.hasRemaining()) {
      if (channel.read(target, position + target.position() - start) < 0) {
        throw new EOFException("run file is shorter than the log's extents");
      }
    }
    target.limit(limit);
  }

  private void verify(int reduce, ByteBuf bytes) throws IOException {
    BitSet maps = new BitSet(layout.maps());
    try {
      for (int at = 0; at < bytes.writerIndex(); ) {
        BlockHeader block = BlockFormat.readVerified(bytes, at, bytes.writerIndex());
        if (block.partition() != reduce || maps.get(block.mapIndex())) {
          throw new IOException("unexpected block: partition=" + reduce + " block=" + block);
        }
        maps.set(block.mapIndex());
        at += block.blockLength();
      }
    } catch (BlockFormatException e) {
      throw new IOException("damaged block: partition=" + reduce + " reason=" + e.getMessage(), e);
    }
    if (maps.cardinality() != layout.maps()) {
      throw new IOException(
          "missing blocks: partition="
              + reduce
              + " blocks="
              + maps.cardinality()
              + " expected="
              + layout.maps());
    }
  }

  /** Deletes the shuffle and its files. */
  @Override
  public void close() {
    store.removeApplication(KEY.application());
    files.deletePending();
    files.close();
    store.close();
    disks.close();
  }
}
