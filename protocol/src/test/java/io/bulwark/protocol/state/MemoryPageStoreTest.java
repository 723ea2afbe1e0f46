package io.bulwark.protocol.state;

import org.jspecify.annotations.NullMarked;

@NullMarked
class MemoryPageStoreTest implements PageStoreContract {
    @Override
    public PageStore create() {
        return new MemoryPageStore();
    }
}
