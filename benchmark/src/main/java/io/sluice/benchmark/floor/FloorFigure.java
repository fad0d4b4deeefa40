package io.sluice.benchmark.floor;

/** A measured cost, in CPU seconds per GiB. */
enum FloorFigure {
  RECEIVE("minimal server: receive"),
  RECEIVE_CRC("minimal server: receive and CRC32C"),
  KEEP("minimal server: receive and CRC32C, memory not in the caches"),
  WRITE("minimal server: receive and append to a file"),
  SEND("minimal server: send a file"),
  SEND_COPY("minimal server: read from a file, and send"),
  ENCRYPT("TLS records: encrypt"),
  DECRYPT("TLS records: decrypt"),
  PUSH_MEMORY("Sluice, Netty: push into memory"),
  PUSH_NETTY("Sluice, Netty: push and spill"),
  FETCH_NETTY("Sluice, Netty: fetch from files"),
  PUSH_GRPC("Sluice, gRPC: push and spill"),
  FETCH_GRPC("Sluice, gRPC: fetch from files"),
  PUSH_TLS("Sluice, Netty with TLS: push and spill"),
  FETCH_TLS("Sluice, Netty with TLS: fetch from files");

  private final String label;

  FloorFigure(String label) {
    this.label = label;
  }

  /** Name in tables. */
  String label() {
    return label;
  }
}
