package io.sluice.client.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Socket;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests against a scripted server, over a real socket. */
@Timeout(60)
class LocalRunFilesTest {
  private static final String NAME = "0000000000000001000000000000000f.run";

  @TempDir Path directory;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final LocalRunFiles files = new LocalRunFiles(threads, new ApplicationCredentials());
  private DescriptorServer server;

  @BeforeEach
  void listen() throws Exception {
    Epoll.ensureAvailability();
    server = new DescriptorServer(directory.resolve("s"));
    ByteBuffer header = ByteBuffer.allocate(30).order(ByteOrder.LITTLE_ENDIAN);
    header.put(new byte[] {'S', 'L', 'R', 'N'}).putInt(0).putLong(1).putLong(15);
    Files.write(directory.resolve(NAME), header.array());
  }

  @AfterEach
  void close() throws Exception {
    files.close();
    threads.shutdownNow();
    assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    server.close();
  }

  private RunFileSource source(long epoch) {
    return new RunFileSource(
        ServerId.newBuilder().setName("server").build(),
        server.path(),
        ShuffleId.getDefaultInstance(),
        epoch);
  }

  private void answer(Socket accepted) throws Exception {
    try (FileInputStream file =
        new FileInputStream(
            directory.resolve(DescriptorServer.take(accepted).getNames(0)).toFile())) {
      Field number = FileDescriptor.class.getDeclaredField("fd");
      number.setAccessible(true);
      assertThat(accepted.sendFd(number.getInt(file.getFD()))).isNotNegative();
    }
  }

  private static void assertWhole(CompletableFuture<RunFileInput> opening) throws IOException {
    ByteBuf bytes = Unpooled.buffer();
    try (RunFileInput input = opening.join()) {
      input.read(0, bytes, 30);
    }
    assertThat(bytes.readableBytes()).isEqualTo(30);
  }

  @Test
  void opensFilesOverOneConnection() throws Exception {
    RunFileSource source = source(1);
    assertThat(files.mayOpen(source)).isTrue();
    CompletableFuture<RunFileInput> first = files.open(source, NAME);
    Socket accepted = server.accept();
    answer(accepted);
    assertWhole(first);

    CompletableFuture<RunFileInput> second = files.open(source, NAME);
    answer(accepted);
    assertWhole(second);
  }

  @Test
  void reconnectsAfterARestartOfTheServer() throws Exception {
    CompletableFuture<RunFileInput> before = files.open(source(1), NAME);
    Socket accepted = server.accept();
    answer(accepted);
    assertWhole(before);
    accepted.close();

    CompletableFuture<RunFileInput> after = files.open(source(2), NAME);
    answer(server.accept());
    assertWhole(after);
    assertThat(files.mayOpen(source(2))).isTrue();
  }

  @Test
  void doesNotRetryAServerThatPassesNoDescriptor() throws Exception {
    RunFileSource source = source(1);
    assertThat(files.mayOpen(source)).isTrue();
    CompletableFuture<RunFileInput> opening = files.open(source, NAME);
    server.accept().close();
    assertThatThrownBy(opening::join).hasRootCauseInstanceOf(IOException.class);
    assertThat(files.mayOpen(source)).isFalse();
    assertThat(files.mayOpen(source(2))).as("after a restart of the server").isTrue();
  }

  @Test
  void rejectsAnotherFileThanTheRequestedOne() throws Exception {
    String other = "0000000000000001000000000000000e.run";
    Files.copy(directory.resolve(NAME), directory.resolve(other));
    CompletableFuture<RunFileInput> opening = files.open(source(1), other);
    answer(server.accept());
    assertThatThrownBy(opening::join)
        .hasMessageContaining("the server returned another run file, found=" + NAME);
  }
}
