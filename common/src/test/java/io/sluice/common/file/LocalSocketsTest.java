package io.sluice.common.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
class LocalSocketsTest {
  private static final int OTHER_USER = 12_345;

  @TempDir Path base;

  private Path parent;
  private Path directory;
  private Path socket;
  private ServerSocketChannel listener;

  @BeforeEach
  void listen() throws IOException {
    parent = Files.createDirectory(base.resolve("p"));
    directory = Files.createDirectory(parent.resolve("d"));
    socket = directory.resolve("s");
    listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    listener.bind(UnixDomainSocketAddress.of(socket));
  }

  @AfterEach
  void close() throws IOException {
    listener.close();
  }

  private static void mode(Path path, int mode) throws IOException {
    Files.setAttribute(path, "unix:mode", mode);
  }

  private static void owner(Path path, int user) throws IOException {
    assumeTrue(Files.getAttribute(path, "unix:uid").equals(0), "only root can change owners");
    Files.setAttribute(path, "unix:uid", user);
  }

  private void assertRefused(String message) {
    assertThatThrownBy(() -> LocalSockets.check(socket.toString()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(message)
        .satisfies(refusal -> assertThat(refusal.getMessage()).doesNotContain("\n"));
  }

  private void assertAccepted() {
    assertThatCode(() -> LocalSockets.check(socket.toString())).doesNotThrowAnyException();
  }

  @Test
  void acceptsDirectoriesOfOneUser() throws IOException {
    assertAccepted();
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxr-x"));
    assertAccepted();
  }

  @Test
  void refusesADirectoryThatOthersCanWriteTo() throws IOException {
    mode(directory, 0777);
    assertRefused(directory + " is writable by every user of this host (mode 0777)");
  }

  @Test
  void refusesAStickyDirectoryForTheSocketItself() throws IOException {
    mode(directory, 01777);
    assertRefused(directory + " is writable by every user of this host (mode 01777)");
  }

  @Test
  void acceptsAParentThatOthersCanWriteToOnlyIfItIsSticky() throws IOException {
    mode(parent, 01777);
    assertAccepted();
    mode(parent, 0777);
    assertRefused(parent + " is writable by every user of this host");
  }

  @Test
  void refusesADirectoryOfAnotherUserThanTheSockets() throws IOException {
    owner(directory, OTHER_USER);
    assertRefused(directory + " belongs to user " + OTHER_USER);
    Files.setAttribute(socket, "unix:uid", OTHER_USER);
    assertAccepted();
    Files.setAttribute(parent, "unix:uid", OTHER_USER + 1);
    assertRefused(parent + " belongs to user " + (OTHER_USER + 1));
  }

  @Test
  void refusesASymbolicLinkToASocketAndOtherFiles() throws IOException {
    Path real = socket;
    socket = Files.createSymbolicLink(directory.resolve("link"), real);
    assertRefused(socket + " is not a socket");
    socket = Files.createFile(directory.resolve("file"));
    assertRefused(socket + " is not a socket");
    socket = directory.resolve("absent");
    assertRefused(socket.toString());
    socket = Path.of("relative");
    assertRefused("not absolute");
  }

  @Test
  void checksBothSidesOfASymbolicLinkToADirectory() throws IOException {
    Path links = Files.createDirectory(base.resolve("links"));
    socket = Files.createSymbolicLink(links.resolve("l"), directory).resolve("s");
    assertAccepted();
    mode(links, 0777);
    assertRefused(links + " is writable");
    mode(links, 0755);
    mode(directory, 0777);
    assertRefused(directory + " is writable");
  }

  @Test
  void theIdentityIsThatOfTheFileAtThePath() throws IOException {
    byte[] identity = SocketIdentity.of(socket.toString());
    assertThat(identity).hasSize(32).isEqualTo(SocketIdentity.of(socket.toString()));
    Path link = Files.createSymbolicLink(directory.resolve("link"), socket);
    assertThat(SocketIdentity.of(link.toString())).isNotEqualTo(identity);
    Path other = directory.resolve("other");
    try (ServerSocketChannel planted = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      planted.bind(UnixDomainSocketAddress.of(other));
      assertThat(SocketIdentity.of(other.toString())).isNotEqualTo(identity);
    }
  }

  @Test
  void theIdentityHasTheDocumentedFormat() {
    assertThat(SocketIdentity.of("00ba71d6-dc6d-4d46-a507-301096035972", 0x0801, 4711))
        .asHexString()
        .isEqualTo("2B412710C9BEC2ADE7FB110B40CC5C565595D643916A873AB43E5F7A1D80D9FA");
  }
}
