package io.sluice.server.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.run.RunReader;
import io.sluice.server.catalog.InMemoryCatalog;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskLimits;
import io.sluice.server.disk.Disks;
import io.sluice.server.disk.InMemoryStorage;
import io.sluice.server.disk.RunFile;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.Storage;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.log.BlockBatch;
import io.sluice.server.log.BlockBytes;
import io.sluice.server.log.LogRange;
import io.sluice.server.log.LoggedRun;
import io.sluice.server.log.PieceBytes;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.SpillBatch;
import io.sluice.server.log.StoreConfig;
import io.sluice.server.observe.ServerCounters;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** A shuffle on some disks, with its expected content. */
final class MergeFixture {
  static final ShuffleKey KEY = new ShuffleKey("app", 1);

  final ShuffleStore store = new ShuffleStore(StoreConfig.DEFAULT);
  final List<InMemoryStorage> storages = new ArrayList<>();
  final List<InMemoryCatalog> catalogs = new ArrayList<>();
  final Disks disks;
  final RunFiles files;
  final MergeCounters counters = new MergeCounters();
  final List<RunFile> failedInputs = Collections.synchronizedList(new ArrayList<>());
  final MergeWriter writer;
  private final SpillWriter spills;
  private final Random random;
  private final Map<Integer, ByteArrayOutputStream> model = new TreeMap<>();
  private final Map<Integer, Integer> sequences = new TreeMap<>();

  MergeFixture(long seed, StorageKind... kinds) {
    random = new Random(seed);
    List<Disk> list = new ArrayList<>();
    for (StorageKind kind : kinds) {
      InMemoryStorage storage = new InMemoryStorage("disk" + list.size(), kind);
      InMemoryCatalog catalog = new InMemoryCatalog();
      storages.add(storage);
      catalogs.add(catalog);
      list.add(new Disk(storage, catalog, new DiskLimits(95, 85, 1000, 0, 0), System::nanoTime));
    }
    disks = new Disks(list);
    files = new RunFiles(4);
    spills = new SpillWriter(1, files, random, new ServerCounters());
    writer = new MergeWriter(files, random, counters, (run, problem) -> failedInputs.add(run));
  }

  ShuffleLog log() throws Exception {
    return store.findOrCreate(KEY);
  }

  /** Pushes one frame with some blocks of some of the partitions. */
  void append(int partitions, int blocks, int largest) throws Exception {
    ByteBuf body = Unpooled.buffer();
    BlockBatch batch = new BlockBatch(blocks);
    for (int i = 0; i < blocks; i++) {
      int partition = random.nextInt(partitions);
      int sequence = sequences.merge(partition, 1, Integer::sum) - 1;
      byte[] block =
          BlockBytes.block(
              7,
              7,
              partition,
              sequence,
              false,
              BlockBytes.payload(random, 1 + random.nextInt(largest)));
      int at = body.writerIndex();
      body.writeBytes(block);
      batch.add(BlockHeader.read(body, at, body.writerIndex()));
      model.computeIfAbsent(partition, unused -> new ByteArrayOutputStream()).writeBytes(block);
    }
    ByteBuf exact = body.copy();
    body.release();
    log().append(exact, exact.capacity(), batch);
  }

  /** Spills all blocks in memory as one run. */
  void spill(int disk) throws Exception {
    SpillBatch batch = log().takeForSpill(Long.MAX_VALUE);
    if (batch != null) {
      assertThat(spills.write(batch, disks.list().get(disk))).isTrue();
    }
  }

  void run(int disk, int partitions, int blocks, int largest) throws Exception {
    append(partitions, blocks, largest);
    spill(disk);
  }

  /** Checks every byte of every partition, and that its pieces are consistent. */
  void check() throws Exception {
    for (Map.Entry<Integer, ByteArrayOutputStream> entry : model.entrySet()) {
      byte[] expected = entry.getValue().toByteArray();
      assertThat(read(entry.getKey(), 0, expected.length))
          .as("partition %d", entry.getKey())
          .isEqualTo(expected);
    }
    for (LoggedRun run : log().runs()) {
      run.run().retain();
      try (RunReader reader = RunReader.borrow(run.run().channel(), run.run().toString())) {
        reader.verify();
        assertThat(reader.header().order()).isEqualTo(run.order());
      } finally {
        run.run().release();
      }
    }
  }

  /** Checks a random range of a random partition. */
  void checkSomewhere() throws Exception {
    int partition = random.nextInt(model.size());
    byte[] all = model.values().stream().skip(partition).findFirst().orElseThrow().toByteArray();
    int index = model.keySet().stream().skip(partition).findFirst().orElseThrow();
    int from = random.nextInt(all.length);
    int length = 1 + random.nextInt(all.length - from);
    assertThat(read(index, from, length)).isEqualTo(Arrays.copyOfRange(all, from, from + length));
  }

  private byte[] read(int partition, long from, int length) throws Exception {
    ByteBuf found = PieceBytes.read(log().read(List.of(new LogRange(partition, from, length))));
    byte[] bytes = new byte[found.readableBytes()];
    found.readBytes(bytes).release();
    return bytes;
  }

  /** Checks that catalogs and directories contain exactly the runs of the log. */
  void checkCatalogs() throws Exception {
    files.deletePending();
    List<String> known = new ArrayList<>();
    List<String> there = new ArrayList<>();
    for (int i = 0; i < catalogs.size(); i++) {
      for (RunRecord record : catalogs.get(i).runs()) {
        known.add(storages.get(i).name() + "/" + RunFiles.fileName(record.id()));
      }
      for (Storage.Entry entry : storages.get(i).list()) {
        there.add(storages.get(i).name() + "/" + entry.file());
      }
      assertThat(storages.get(i).unfinishedCount()).isZero();
    }
    List<String> logged = log().runs().stream().map(run -> run.run().toString()).toList();
    assertThat(known).containsExactlyInAnyOrderElementsOf(logged);
    assertThat(there).containsExactlyInAnyOrderElementsOf(logged);
  }

  /** Deletes the shuffle, and checks that no file or record is left. */
  void close() throws Exception {
    store.removeApplication("app");
    store.close();
    files.deletePending();
    files.close();
    for (int i = 0; i < catalogs.size(); i++) {
      assertThat(catalogs.get(i).runs()).isEmpty();
      assertThat(storages.get(i).list()).isEmpty();
      assertThat(storages.get(i).unfinishedCount()).isZero();
      assertThat(storages.get(i).openChannelCount()).isZero();
    }
  }
}
