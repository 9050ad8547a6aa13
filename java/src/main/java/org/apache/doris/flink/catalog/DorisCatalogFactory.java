package org.apache.doris.flink.catalog;

import org.apache.doris.flink.config.option.DorisConfigOptions;
import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.Catalog;
import org.apache.flink.table.factories.CatalogFactory;

import java.util.Set;

/**
 * Answers {@code CREATE CATALOG … WITH ('type' = 'doris')}, which is not built yet, with an error
 * that names the alternative.
 */
@PublicEvolving
public class DorisCatalogFactory implements CatalogFactory {

    @Override
    public String factoryIdentifier() {
        return DorisConfigOptions.IDENTIFIER;
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of();
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of();
    }

    @Override
    public Catalog createCatalog(Context context) {
        throw new ValidationException(
                String.format(
                        "A Doris catalog is not supported yet: option 'type' of catalog %s has the"
                                + " value 'doris'. Declare the tables with CREATE TABLE … WITH"
                                + " ('connector' = 'doris', …).",
                        context.getName()));
    }
}
