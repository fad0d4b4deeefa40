package io.sluice.storage.hadoop;

import io.sluice.server.RemoteTierServerContract;

/** A whole server with Hadoop's local file system behind it, in a class loader of its own. */
class HadoopTierServerTest extends RemoteTierServerContract {
  @Override
  protected String classPath() {
    return System.getProperty("java.class.path");
  }

  @Override
  protected String scheme() {
    return "file";
  }
}
