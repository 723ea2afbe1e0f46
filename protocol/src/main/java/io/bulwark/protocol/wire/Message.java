package io.bulwark.protocol.wire;

/** Content of one frame. Each protocol has a sealed interface of records that extends this one. */
public interface Message {}
