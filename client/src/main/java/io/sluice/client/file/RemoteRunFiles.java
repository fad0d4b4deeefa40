package io.sluice.client.file;

/** Opens run files on shared file systems; found by {@link java.util.ServiceLoader}. */
public interface RemoteRunFiles {
  /**
   * @param directory directory that contains all files which may be opened
   * @return owned by the caller
   */
  RunFileOpener below(RemoteDirectory directory);
}
