package io.sluice.server.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.server.disk.Storage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RemoteStorageTest {
  private final InMemoryRemoteFileSystem files = new InMemoryRemoteFileSystem();
  private final RemoteStorage storage = storage("host-1f", Long.MAX_VALUE);

  @Test
  void readsBackCommittedFiles() throws IOException {
    byte[] content = bytes(100_000);
    write("app-1", "a.run", content);
    assertThat(files.paths()).containsExactly("app-1/host-1f/a.run");
    assertThat(storage.location("a.run")).contains("memory:/shuffle/app-1/host-1f/a.run");
    try (FileChannel channel = storage.open("a.run")) {
      assertThat(channel.size()).isEqualTo(content.length);
      ByteBuffer target = ByteBuffer.allocate(1000);
      assertThat(channel.read(target, 5_000)).isEqualTo(1000);
      assertThat(target.array()).isEqualTo(java.util.Arrays.copyOfRange(content, 5_000, 6_000));
      assertThat(channel.read(ByteBuffer.allocate(1), content.length)).isEqualTo(-1);
      ByteArrayOutputStream copy = new ByteArrayOutputStream();
      assertThat(channel.transferTo(10, content.length, Channels.newChannel(copy)))
          .isEqualTo(content.length - 10);
      assertThat(copy.toByteArray())
          .isEqualTo(java.util.Arrays.copyOfRange(content, 10, content.length));
    }
    assertThat(files.openInputs()).isZero();
  }

  @Test
  void transfersBytesFromAFile() throws IOException {
    byte[] content = bytes(10_000);
    write("app", "a.run", content);
    try (Storage.NewFile file = storage.create("b.run", "app");
        FileChannel source = storage.open("a.run")) {
      file.channel().write(ByteBuffer.wrap(content, 0, 100));
      assertThat(
              file.channel()
                  .transferFrom(
                      Channels.newChannel(
                          new java.io.ByteArrayInputStream(content, 100, content.length - 100)),
                      100,
                      Long.MAX_VALUE))
          .isEqualTo(content.length - 100);
      assertThat(source.transferTo(0, source.size(), file.channel())).isEqualTo(content.length);
      file.commit();
    }
    try (FileChannel channel = storage.open("b.run")) {
      assertThat(channel.size()).isEqualTo(2L * content.length);
    }
  }

  @Test
  void deletesFilesThatWereNotCommitted() throws IOException {
    try (Storage.NewFile file = storage.create("a.run", "app")) {
      file.channel().write(ByteBuffer.wrap(bytes(10)));
    }
    assertThat(files.paths()).isEmpty();
    assertThat(storage.list()).isEmpty();
  }

  @Test
  void replacesAFileThatAFailedUploadLeft() throws IOException {
    files.put("app/host-1f/a.run", bytes(5));
    write("app", "a.run", bytes(10));
    assertThat(storage.list()).containsExactly(new Storage.Entry("a.run", 10));
  }

  @Test
  void refusesATruncatedUpload() throws IOException {
    files.loseAtEnd(1);
    assertThatThrownBy(() -> write("app", "a.run", bytes(10)))
        .isInstanceOf(IOException.class)
        .hasMessage("memory:/shuffle/app/host-1f/a.run has 9 bytes, 10 were written");
    assertThat(files.paths()).isEmpty();
    assertThat(files.openInputs()).isZero();
  }

  @Test
  void refusesToReadATruncatedFile() throws IOException {
    write("app", "a.run", bytes(10));
    files.put("app/host-1f/a.run", bytes(9));
    assertThatThrownBy(() -> storage.open("a.run"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has 9 bytes, 10 were written");
    assertThat(files.openInputs()).isZero();
  }

  @Test
  void failsAtEveryCallWithoutLeavingAFile() throws IOException {
    int call = 1;
    while (!succeedsWhenCallFails(call)) {
      assertThat(storage.list()).as("after failure of call %d", call).isEmpty();
      assertThat(files.openInputs()).isZero();
      call++;
    }
    assertThat(call).isGreaterThan(4);
    assertThat(storage.list()).containsExactly(new Storage.Entry("a.run", 10));
  }

  private boolean succeedsWhenCallFails(int call) {
    files.failAtCall(call);
    try {
      write("app", "a.run", bytes(10));
      return true;
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("injected");
      return false;
    } finally {
      files.failAtCall(0);
    }
  }

  @Test
  void listsAndDeletesItsOwnFilesOnly() throws IOException {
    RemoteStorage other = storage("host-2a", Long.MAX_VALUE);
    write("app-1", "a.run", bytes(10));
    write("app-10", "b.run", bytes(20));
    write(other, "app-1", "c.run", bytes(30));
    files.put("app-1/notes.txt", bytes(1));
    assertThat(storage.list())
        .containsExactlyInAnyOrder(new Storage.Entry("a.run", 10), new Storage.Entry("b.run", 20));
    storage.delete("a.run");
    storage.delete("a.run");
    assertThat(files.paths())
        .containsExactly("app-1/host-2a/c.run", "app-1/notes.txt", "app-10/host-1f/b.run");
    assertThat(other.list()).containsExactly(new Storage.Entry("c.run", 30));
  }

  @Test
  void deletesTheDirectoriesOfAnApplicationWithItsLastFile() throws IOException {
    write("app-1", "a.run", bytes(10));
    write("app-1", "b.run", bytes(10));
    storage.delete("a.run");
    assertThat(files.deletedDirectories()).isEmpty();
    storage.delete("b.run");
    assertThat(files.deletedDirectories()).containsExactly("app-1/host-1f", "app-1");
  }

  @Test
  void deletesThemWhenTheLastWriterFails() throws IOException {
    write("app", "a.run", bytes(10));
    Storage.NewFile writing = storage.create("b.run", "app");
    writing.channel().write(ByteBuffer.wrap(bytes(5)));
    storage.delete("a.run");
    int before = files.deletedDirectories().size();
    writing.close();
    assertThat(files.deletedDirectories().subList(before, before + 2))
        .containsExactly("app/host-1f", "app");
    writing.close();
  }

  @Test
  void reportsTheSpaceOfTheLastRequest() throws IOException {
    RemoteStorage limited = storage("host-1f", 100);
    assertThat(limited.freeBytes()).isZero();
    assertThat(limited.capacityBytes()).isEqualTo(100);
    write(limited, "app", "a.run", bytes(30));
    assertThat(limited.freeBytes()).isEqualTo(70);
    files.capacityBytes(50);
    assertThat(limited.freeBytes()).isEqualTo(70);
    assertThat(limited.capacityBytes()).isEqualTo(50);
    assertThat(limited.freeBytes()).isEqualTo(20);
    files.failAlways(true);
    assertThatThrownBy(limited::capacityBytes).isInstanceOf(IOException.class);
    assertThat(limited.freeBytes()).isEqualTo(20);
    files.failAlways(false);
    RemoteStorage reopened = storage("host-1f", 100);
    assertThat(reopened.capacityBytes()).isPositive();
    assertThat(reopened.list()).hasSize(1);
    reopened.list();
    files.capacityBytes(1000);
    assertThat(reopened.capacityBytes()).isPositive();
    assertThat(reopened.freeBytes()).isEqualTo(70);
    reopened.delete("a.run");
    assertThat(reopened.freeBytes()).isEqualTo(100);
  }

  @Test
  void refusesNamesThatLeaveItsDirectories() {
    for (String server : new String[] {"", "..", "a/b"}) {
      assertThatThrownBy(() -> storage(server, 1)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void escapesUnusualApplicationNames() throws IOException {
    write("..", "a.run", bytes(1));
    write(".", "b.run", bytes(2));
    write("svc+etl@CORP$~app", "c.run", bytes(3));
    try (Storage.NewFile probe = storage.create("probe")) {
      probe.commit();
    }
    assertThat(files.paths())
        .containsExactlyInAnyOrder(
            "=../host-1f/a.run",
            "=./host-1f/b.run",
            "svc+etl@CORP$~app/host-1f/c.run",
            "=/host-1f/probe");
    RemoteStorage reopened = storage("host-1f", 100);
    reopened.list();
    try (FileChannel channel = reopened.open("a.run")) {
      assertThat(channel.size()).isEqualTo(1);
    }
    for (String file : new String[] {"a.run", "b.run", "c.run", "probe"}) {
      reopened.delete(file);
    }
    assertThat(files.paths()).isEmpty();
  }

  @Test
  void adoptsTheFilesOfAnotherServer() throws IOException {
    RemoteStorage lost = storage("host-2a", Long.MAX_VALUE);
    write(lost, "app-1", "a.run", bytes(10));
    write(lost, "app-2", "b.run", bytes(20));
    write("app-1", "c.run", bytes(30));

    assertThat(storage.adopt("host-2a"))
        .containsExactlyInAnyOrder(new Storage.Entry("a.run", 10), new Storage.Entry("b.run", 20));

    assertThat(storage.directories()).containsExactly("host-1f", "host-2a");
    assertThat(storage.directoryOf("a.run")).contains("host-2a");
    assertThat(storage.location("a.run")).contains("memory:/shuffle/app-1/host-2a/a.run");
    try (FileChannel channel = storage.open("b.run")) {
      assertThat(channel.size()).isEqualTo(20);
    }
    RemoteStorage restarted = storage("host-1f", Long.MAX_VALUE);
    restarted.alsoServe(java.util.List.of("host-2a"));
    assertThat(restarted.list()).hasSize(3);
    storage.delete("a.run");
    storage.delete("c.run");
    assertThat(files.paths()).containsExactly("=adopted/host-2a", "app-2/host-2a/b.run");
    assertThat(files.deletedDirectories())
        .containsExactly("app-1/host-2a", "app-1", "app-1/host-1f", "app-1");
  }

  @Test
  void aLostServerThatReturnsDeletesNothingAndWritesToAnotherDirectory() throws IOException {
    RemoteStorage returned = storage("host-2a", Long.MAX_VALUE);
    write(returned, "app-1", "a.run", bytes(10));
    files.put("app-1/host-0a/0.run", bytes(10));
    returned.adopt("host-0a");
    storage.adopt("host-2a");

    assertThatThrownBy(() -> write(returned, "app-1", "d.run", bytes(10)))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "directory host-2a of memory:/shuffle was adopted by host-1f while this server was"
                + " lost; it writes to host-2a-new from now on");
    write(returned, "app-1", "d.run", bytes(10));
    returned.delete("a.run");
    assertThat(returned.directories()).containsExactly("host-2a-new", "host-0a");
    assertThat(files.paths())
        .containsExactly(
            "=adopted/host-0a",
            "=adopted/host-2a",
            "app-1/host-0a/0.run",
            "app-1/host-2a-new/d.run",
            "app-1/host-2a/a.run");
    returned.delete("0.run");
    returned.delete("d.run");
    assertThat(files.paths())
        .containsExactly("=adopted/host-0a", "=adopted/host-2a", "app-1/host-2a/a.run");

    // Another server adopts both directories.
    RemoteStorage third = storage("host-3b", Long.MAX_VALUE);
    third.adopt("host-1f");
    third.adopt("host-2a");
    storage.delete("a.run");
    assertThat(files.paths()).contains("app-1/host-2a/a.run");
    third.delete("a.run");
    assertThat(files.paths())
        .containsExactly("=adopted/host-0a", "=adopted/host-1f", "=adopted/host-2a");
  }

  @Test
  void aLostServerThatReturnsAndOnlyDeletesDoesNotListItsDirectoryAsItsOwn() throws IOException {
    RemoteStorage returned = storage("host-2a", Long.MAX_VALUE);
    write(returned, "app-1", "a.run", bytes(10));
    storage.adopt("host-2a");

    returned.delete("a.run");

    assertThat(returned.directories()).containsExactly("host-2a-new");
    assertThat(files.paths()).containsExactly("=adopted/host-2a", "app-1/host-2a/a.run");
  }

  @Test
  void aFileWhoseUploadEndsAfterTheAdoptionIsDeleted() throws IOException {
    RemoteStorage returned = storage("host-2a", Long.MAX_VALUE);
    try (Storage.NewFile file = returned.create("a.run", "app-1")) {
      file.channel().write(ByteBuffer.wrap(bytes(10)));
      storage.adopt("host-2a");
      assertThatThrownBy(file::commit).hasMessageContaining("was adopted by host-1f");
    }
    assertThat(files.paths()).containsExactly("=adopted/host-2a");
  }

  @Test
  void reportsDirectoriesWithoutFilesOnceItHasListedThem() throws IOException {
    assertThat(storage.emptyDirectories()).as("not listed").isEmpty();
    storage.list();
    assertThat(storage.emptyDirectories()).containsExactly("host-1f");
    write("app-1", "a.run", bytes(10));
    assertThat(storage.emptyDirectories()).isEmpty();
    storage.delete("a.run");
    files.put("app-1/host-2a/b.run", bytes(10));
    storage.adopt("host-2a");
    assertThat(storage.emptyDirectories()).containsExactly("host-1f");
    storage.forget("b.run");
    assertThat(storage.emptyDirectories()).as("b.run is left").containsExactly("host-1f");
  }

  @Test
  void aDirectoryWithAFileThatCannotBeDeletedIsNotWithoutFiles() throws IOException {
    storage.list();
    files.loseAtEnd(1);
    try (Storage.NewFile file = storage.create("a.run", "app-1")) {
      file.channel().write(ByteBuffer.wrap(bytes(10)));
      assertThatThrownBy(file::commit).hasMessageContaining("has 9 bytes");
      files.failAtCall(1);
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("injected");
    }
    assertThat(files.paths()).containsExactly("app-1/host-1f/a.run");
    assertThat(storage.emptyDirectories()).isEmpty();
  }

  @Test
  void aDirectoryWhoseFilesAnotherServerHasIsNotWithoutFiles() throws IOException {
    storage.list();
    files.put("app-1/host-2a/a.run", bytes(10));
    storage.adopt("host-2a");
    RemoteStorage third = storage("host-3b", Long.MAX_VALUE);
    third.adopt("host-2a");
    storage.delete("a.run");
    assertThat(files.paths()).contains("app-1/host-2a/a.run");
    assertThat(storage.emptyDirectories()).doesNotContain("host-2a");
  }

  @Test
  void deletesNothingWhileTheMarkCannotBeRead() throws IOException {
    write("app-1", "a.run", bytes(10));
    files.put("=adopted/host-1f", bytes(5));
    assertThatThrownBy(() -> storage.delete("a.run")).isInstanceOf(IOException.class);
    assertThat(files.paths()).contains("app-1/host-1f/a.run");
    files.delete("=adopted/host-1f");
    storage.delete("a.run");
    assertThat(files.paths()).isEmpty();
  }

  @Test
  void aFailedAdoptionLeavesNothing() throws IOException {
    RemoteStorage lost = storage("host-2a", Long.MAX_VALUE);
    write(lost, "app-1", "a.run", bytes(10));
    int call = 1;
    while (true) {
      files.failAtCall(call);
      try {
        storage.adopt("host-2a");
        break;
      } catch (IOException e) {
        assertThat(e).hasMessageContaining("injected");
        assertThat(storage.directories()).containsExactly("host-1f");
        assertThat(storage.directoryOf("a.run")).isEmpty();
        call++;
      }
    }
    assertThat(call).isGreaterThan(4);
    assertThat(storage.directoryOf("a.run")).contains("host-2a");
    storage.abandon("host-2a");
    assertThat(storage.directories()).containsExactly("host-1f");
    assertThatThrownBy(() -> storage.open("a.run")).isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void findsOnlyWrittenOrListedFiles() throws IOException {
    files.put("app/host-1f/a.run", bytes(10));
    assertThatThrownBy(() -> storage.open("a.run")).isInstanceOf(NoSuchFileException.class);
    assertThat(storage.location("a.run")).isEmpty();
    storage.list();
    try (FileChannel channel = storage.open("a.run")) {
      assertThat(channel.size()).isEqualTo(10);
    }
  }

  private RemoteStorage storage(String server, long limitBytes) {
    return new RemoteStorage("memory", files, server, () -> server + "-new", limitBytes, 0);
  }

  private void write(String application, String file, byte[] content) throws IOException {
    write(storage, application, file, content);
  }

  private static void write(RemoteStorage storage, String application, String file, byte[] content)
      throws IOException {
    try (Storage.NewFile writing = storage.create(file, application)) {
      ByteBuffer whole = ByteBuffer.wrap(content);
      int half = content.length / 2;
      long written =
          writing
              .channel()
              .write(
                  new ByteBuffer[] {
                    whole.slice(0, half), whole.slice(half, content.length - half)
                  });
      assertThat(written).isEqualTo(content.length);
      writing.commit();
    }
  }

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }
}
