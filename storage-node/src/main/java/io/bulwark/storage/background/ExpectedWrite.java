package io.bulwark.storage.background;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;

/** A client has learnt a block's time, and writes next. */
record ExpectedWrite(PrincipalId client, BlockId block) {}
