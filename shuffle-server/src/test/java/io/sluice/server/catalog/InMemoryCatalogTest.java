package io.sluice.server.catalog;

class InMemoryCatalogTest extends RunCatalogContract {
  private final InMemoryCatalog only = new InMemoryCatalog(MAX_TOMBSTONES);

  @Override
  RunCatalog open() {
    return only;
  }
}
