package io.sluice.server.service;

import io.sluice.common.error.PeerText;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.ShuffleId;
import io.sluice.server.log.ShuffleKey;
import io.sluice.transport.server.ClientConnection;

/** Validates identifiers in requests: applications, shuffles and partitions. */
final class Identifiers {
  private static final int MAX_APPLICATION_LENGTH = 256;

  /** Partition indexes are below this. */
  static final int MAX_PARTITIONS = 1 << 24;

  private Identifiers() {}

  static ShuffleKey shuffle(ClientConnection connection, ShuffleId id) throws SluiceException {
    application(id.getApplication());
    if (!id.getApplication().equals(connection.application())) {
      throw new SluiceException(
          StatusCode.DENIED,
          "the connection belongs to application "
              + connection.application()
              + ", but the request names application "
              + PeerText.quoted(id.getApplication()));
    }
    if (id.getShuffle() < 0) {
      throw badRequest("shuffle number " + id.getShuffle() + " is negative");
    }
    return new ShuffleKey(id.getApplication(), id.getShuffle());
  }

  static void application(String id) throws SluiceException {
    if (id.isEmpty() || id.length() > MAX_APPLICATION_LENGTH) {
      throw badRequest(
          "application id of "
              + id.length()
              + " characters, expected 1 to "
              + MAX_APPLICATION_LENGTH);
    }
    for (int i = 0; i < id.length(); i++) {
      char c = id.charAt(i);
      boolean letterOrDigit =
          (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
      if (!letterOrDigit && c != '.' && c != '_' && c != '-') {
        throw badRequest(
            String.format(
                "application id has character U+%04X at %d, expected [A-Za-z0-9._-]", (int) c, i));
      }
    }
  }

  static void partition(int partition) throws SluiceException {
    if (partition < 0 || partition >= MAX_PARTITIONS) {
      throw badRequest("partition " + partition + ", expected 0 to " + (MAX_PARTITIONS - 1));
    }
  }

  static SluiceException badRequest(String message) {
    return new SluiceException(StatusCode.BAD_REQUEST, message);
  }
}
