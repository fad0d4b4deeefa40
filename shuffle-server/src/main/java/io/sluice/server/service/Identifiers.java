package io.sluice.server.service;

import io.sluice.common.auth.UserNames;
import io.sluice.common.error.PeerText;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.ShuffleId;
import io.sluice.server.log.ShuffleKey;
import io.sluice.transport.server.ClientConnection;

/** Validates identifiers in requests: applications, shuffles and partitions. */
final class Identifiers {
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
    if (!UserNames.isApplication(id)) {
      throw badRequest(
          "application id: expected "
              + UserNames.EXPECTED_APPLICATION
              + ", found "
              + PeerText.quoted(id));
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
