package io.sluice.server.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.server.catalog.InMemoryCatalog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryStorageTest {
  private static final String RUN = "0123456789abcdef0123456789abcdef.run";

  @TempDir Path base;

  @Test
  void fileIsVisibleOnceCommitted() throws IOException {
    try (DirectoryStorage storage = open(base)) {
      try (Storage.NewFile file = storage.create(RUN)) {
        file.channel().write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
        assertThat(storage.list()).isEmpty();
        assertThatThrownBy(() -> storage.open(RUN)).isInstanceOf(IOException.class);
        file.commit();
      }
      assertThat(storage.list()).containsExactly(new Storage.Entry(RUN, 3));
      try (FileChannel channel = storage.open(RUN)) {
        assertThat(channel.size()).isEqualTo(3);
      }
      storage.delete(RUN);
      storage.delete(RUN);
      assertThat(storage.list()).isEmpty();
    }
  }

  @Test
  void deletesAFileThatWasNotCommitted() throws IOException {
    try (DirectoryStorage storage = open(base)) {
      try (Storage.NewFile file = storage.create(RUN)) {
        file.channel().write(ByteBuffer.wrap(new byte[100]));
      }
      try (var files = Files.list(base.resolve("runs"))) {
        assertThat(files).isEmpty();
      }
    }
  }

  @Test
  void replacesAProbeFileLeftInAVanishedDirectory() throws IOException {
    Path mine = base.resolve("mine");
    Path away = base.resolve("away");
    try (DirectoryStorage storage = open(mine)) {
      try (Storage.NewFile file = storage.create("probe")) {
        file.channel().write(ByteBuffer.wrap(new byte[100]));
        Files.move(mine, away);
        assertThatThrownBy(file::commit).isInstanceOf(NoSuchFileException.class);
      }
      Files.move(away, mine);
      assertThat(mine.resolve("runs/probe.tmp")).exists();

      try (Storage.NewFile file = storage.create("probe")) {
        file.channel().write(ByteBuffer.wrap(new byte[] {1}));
        file.commit();
      }
      assertThat(storage.list()).containsExactly(new Storage.Entry("probe", 1));
      storage.delete("probe");
    }
  }

  /** A client that has a descriptor of the file must not keep its blocks allocated. */
  @Test
  void aDeletedFileOccupiesNoSpaceWhileItIsOpen() throws IOException {
    try (DirectoryStorage storage = open(base)) {
      try (Storage.NewFile file = storage.create(RUN)) {
        file.channel().write(ByteBuffer.wrap(new byte[10_000]));
        file.commit();
      }
      try (FileChannel open = storage.open(RUN)) {
        storage.delete(RUN);
        assertThat(open.size()).isZero();
        assertThat(open.read(ByteBuffer.allocate(1), 0)).isNegative();
      }
      storage.delete(RUN);
      assertThat(storage.list()).isEmpty();
    }
  }

  @Test
  void countsStoredBytesAgainstTheCapacity() throws IOException {
    try (DirectoryStorage storage =
        DirectoryStorage.open(
            new DirectoryConfig(base, Optional.of(StorageKind.HDD), 1000, 1), Fsync.NEVER, "me")) {
      assertThat(storage.capacityBytes()).isEqualTo(1000);
      assertThat(storage.freeBytes()).isEqualTo(1000);
      try (Storage.NewFile file = storage.create(RUN)) {
        file.channel().write(ByteBuffer.wrap(new byte[960]));
        file.commit();
      }
      assertThat(storage.freeBytes()).isEqualTo(40);
      Disk disk = new Disk(storage, new InMemoryCatalog(), DiskLimits.DEFAULT, System::nanoTime);
      assertThat(disk.isHealthy()).isFalse();
      assertThat(disk.mayWrite(1)).isFalse();
      storage.delete(RUN);
      assertThat(storage.freeBytes()).isEqualTo(1000);
      disk.refresh();
      assertThat(disk.isHealthy()).isTrue();
      assertThat(disk.mayWrite(1000)).isTrue();
      assertThat(disk.mayWrite(1001)).isFalse();
      assertThat(disk.kind()).isEqualTo(StorageKind.HDD);
    }
  }

  @Test
  void refusesADirectoryInUseAndNamesItsOwner() throws IOException {
    try (DirectoryStorage first =
        DirectoryStorage.open(config(base), Fsync.NEVER, "pid=7 host=here rpc=19999")) {
      assertThatThrownBy(() -> open(base))
          .isInstanceOf(DirectoryInUseException.class)
          .hasMessageContaining(base.toString())
          .hasMessageContaining("pid=7 host=here rpc=19999");
      assertThatThrownBy(
              () ->
                  Disks.open(
                      List.of(config(base.resolve("other")), config(base)),
                      DiskLimits.DEFAULT,
                      Fsync.NEVER,
                      "me",
                      System::nanoTime))
          .isInstanceOf(DirectoryInUseException.class);
      // Directories opened before the refusal were released.
      open(base.resolve("other")).close();
      assertThat(first.name()).isEqualTo(base.toString());
    }
    open(base).close();
  }

  @Test
  void deletesOnlyUnfinishedFilesOfAnEarlierProcess() throws IOException {
    Path runs = Files.createDirectories(base.resolve("runs"));
    Files.write(runs.resolve(RUN), new byte[10]);
    Files.write(runs.resolve(RUN + ".tmp"), new byte[10]);
    Files.write(runs.resolve("notes.txt"), new byte[10]);
    try (DirectoryStorage storage = open(base)) {
      assertThat(storage.list())
          .containsExactlyInAnyOrder(
              new Storage.Entry("notes.txt", 10), new Storage.Entry(RUN, 10));
    }
    assertThat(runs.resolve(RUN + ".tmp")).doesNotExist();
  }

  @Test
  void skipsUnusableDirectories() throws IOException {
    Path file = Files.write(base.resolve("a-file"), new byte[1]);
    Path good = base.resolve("good");
    try (Disks disks =
        Disks.open(
            List.of(config(file), config(good)),
            DiskLimits.DEFAULT,
            Fsync.NEVER,
            "me",
            System::nanoTime)) {
      assertThat(disks.list()).hasSize(1);
      assertThat(disks.list().get(0).name()).isEqualTo(good.toString());
      assertThat(disks.anyHealthy()).isTrue();
    }
  }

  @Test
  void skipsAFullDirectory() throws IOException {
    Path full = Files.createDirectories(base.resolve("full/runs"));
    Files.write(full.resolve("foreign"), new byte[1]);
    DiskLimits nothing = new DiskLimits(0.000001, 0, 1, 1, 1);
    assertThatThrownBy(
            () ->
                Disks.open(
                    List.of(
                        new DirectoryConfig(
                            base.resolve("full"), Optional.empty(), Long.MAX_VALUE, 1)),
                    nothing,
                    Fsync.NEVER,
                    "me",
                    System::nanoTime))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no usable directory")
        .hasMessageContaining("is full");
  }

  @Test
  void failsWithAMessageIfNoDirectoryIsUsable() throws IOException {
    Path file = Files.write(base.resolve("a-file"), new byte[1]);
    assertThatThrownBy(
            () ->
                Disks.open(
                    List.of(config(file)), DiskLimits.DEFAULT, Fsync.NEVER, "me", System::nanoTime))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no usable directory")
        .hasMessageContaining(file.toString());
  }

  @Test
  void leavesTheReserveOfItsFileSystemFree() throws IOException {
    long usable = Files.getFileStore(base).getUsableSpace();
    DirectoryConfig config =
        new DirectoryConfig(base, Optional.empty(), Long.MAX_VALUE / 2, 1, usable / 2);
    try (DirectoryStorage storage = DirectoryStorage.open(config, Fsync.NEVER, "me")) {
      assertThat(storage.freeBytes()).isLessThan(usable - usable / 4);
    }
    DirectoryConfig all = new DirectoryConfig(base, Optional.empty(), 0, 1, Long.MAX_VALUE);
    try (DirectoryStorage storage = DirectoryStorage.open(all, Fsync.NEVER, "me")) {
      assertThat(storage.freeBytes()).isZero();
    }
  }

  @Test
  void detectsAMissingOrReplacedDirectoryAndRenewsIt() throws IOException {
    Path runs = base.resolve("runs");
    try (DirectoryStorage storage = open(base)) {
      store(storage, 100);
      storage.checkPresent();
      Path away = base.resolve("away");
      Files.move(runs, away);
      assertThatThrownBy(storage::checkPresent).isInstanceOf(NoSuchFileException.class);
      Files.createDirectory(runs);
      assertThatThrownBy(storage::checkPresent)
          .isInstanceOf(NoSuchFileException.class)
          .hasMessageContaining("another directory");
      storage.renew();
      storage.checkPresent();
      assertThat(storage.list()).isEmpty();
      store(storage, 50);
      Files.delete(runs.resolve(RUN));
      Files.delete(runs);
      assertThatThrownBy(storage::checkPresent).isInstanceOf(NoSuchFileException.class);
      storage.renew();
      store(storage, 10);
      assertThat(storage.list()).containsExactly(new Storage.Entry(RUN, 10));
      assertThatThrownBy(() -> open(base)).isInstanceOf(DirectoryInUseException.class);
    }
    open(base).close();
  }

  @Test
  void doesNotRecreateAMissingBaseDirectory() throws IOException {
    Path mine = base.resolve("mine");
    try (DirectoryStorage storage = open(mine)) {
      Files.move(mine, base.resolve("away"));
      assertThatThrownBy(storage::checkPresent).isInstanceOf(NoSuchFileException.class);
      assertThatThrownBy(storage::renew).isInstanceOf(NoSuchFileException.class);
      assertThat(mine).doesNotExist();
    }
  }

  private static void store(DirectoryStorage storage, int bytes) throws IOException {
    try (Storage.NewFile file = storage.create(RUN)) {
      file.channel().write(ByteBuffer.wrap(new byte[bytes]));
      file.commit();
    }
  }

  @Test
  void detectsRotatingDisksAndTheirPartitions() throws IOException {
    Path disk = Files.createDirectories(base.resolve("devices/sda/queue"));
    Files.writeString(disk.resolve("rotational"), "1\n");
    Files.createDirectories(base.resolve("devices/sda/sda1"));
    Path ssd = Files.createDirectories(base.resolve("devices/sdb/queue"));
    Files.writeString(ssd.resolve("rotational"), "0\n");
    Path block = Files.createDirectories(base.resolve("block"));
    Files.createSymbolicLink(block.resolve("8:0"), base.resolve("devices/sda"));
    Files.createSymbolicLink(block.resolve("8:1"), base.resolve("devices/sda/sda1"));
    Files.createSymbolicLink(block.resolve("8:16"), base.resolve("devices/sdb"));
    DiskKinds kinds = new DiskKinds(block);
    assertThat(kinds.kindOfDevice(8, 0)).isEqualTo(StorageKind.HDD);
    assertThat(kinds.kindOfDevice(8, 1)).isEqualTo(StorageKind.HDD);
    assertThat(kinds.kindOfDevice(8, 16)).isEqualTo(StorageKind.SSD);
    assertThat(kinds.kindOfDevice(9, 0)).isEqualTo(StorageKind.SSD);
    assertThat(new DiskKinds(base.resolve("none")).kindOf(base)).isEqualTo(StorageKind.SSD);
  }

  private static DirectoryConfig config(Path path) {
    return new DirectoryConfig(path, Optional.empty(), 0, 0.99);
  }

  private static DirectoryStorage open(Path path) throws IOException {
    return DirectoryStorage.open(config(path), Fsync.NEVER, "me");
  }
}
