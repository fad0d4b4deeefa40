package io.sluice.client;

/** Transport of data between clients and servers. */
public enum TransportKind {
  /** Inside a gRPC stream, on the server's rpc port. */
  GRPC,
  /** Framed TCP, on the server's netty port. */
  GRPC_NETTY
}
