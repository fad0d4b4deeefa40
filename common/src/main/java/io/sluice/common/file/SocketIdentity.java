package io.sluice.common.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;

/**
 * Identifies the file of a Unix domain socket among all that exist now, on all hosts: SHA-256 of
 *
 * <pre>
 *   "sluice socket v1", boot id of the kernel (36 characters), device and inode (8 bytes each,
 *   little-endian)
 * </pre>
 *
 * Server and client compute it from what they see at the path of the socket. The values are equal
 * only if both see the same file on the same host.
 */
public final class SocketIdentity {
  private static final Path BOOT_ID = Paths.get("/proc/sys/kernel/random/boot_id");
  private static final String LABEL = "sluice socket v1";

  private SocketIdentity() {}

  /**
   * Computes the identity of the file at a path, of the symbolic link itself if it is one.
   *
   * @throws IOException if there is no such file, or the kernel provides no boot id
   */
  public static byte[] of(String socket) throws IOException {
    Map<String, Object> found =
        Files.readAttributes(Paths.get(socket), "unix:dev,ino", LinkOption.NOFOLLOW_LINKS);
    String boot = new String(Files.readAllBytes(BOOT_ID), StandardCharsets.US_ASCII).trim();
    return of(
        boot, ((Number) found.get("dev")).longValue(), ((Number) found.get("ino")).longValue());
  }

  static byte[] of(String bootId, long device, long inode) {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
    digest.update(LABEL.getBytes(StandardCharsets.US_ASCII));
    digest.update(bootId.getBytes(StandardCharsets.US_ASCII));
    return digest.digest(
        ByteBuffer.allocate(2 * Long.BYTES)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putLong(device)
            .putLong(inode)
            .array());
  }
}
