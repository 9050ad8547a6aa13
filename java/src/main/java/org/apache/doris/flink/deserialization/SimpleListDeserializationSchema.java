package org.apache.doris.flink.deserialization;

import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.util.Collector;

import java.util.List;

/** Each row as the list of its values. */
@PublicEvolving
public class SimpleListDeserializationSchema implements DorisDeserializationSchema<List<?>> {

    private static final long serialVersionUID = 1L;

    @Override
    public TypeInformation<List<?>> getProducedType() {
        return TypeInformation.of(new TypeHint<List<?>>() {});
    }

    @Override
    public void deserialize(List<?> record, Collector<List<?>> out) throws Exception {
        out.collect(record);
    }
}
